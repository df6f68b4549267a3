import { GatewayConfig } from '@subluminal/core-types';
import type { Known } from './shape.js';

/** Settings of wings, and members of tables, that the schema of the core does not name by itself. */
const OTHER_KEYS =
  'http port calls timeout_ms servers url hooks secret_bindings server_name inject_as secret_ref source command program inject redact pass hosts prefix';
const WORDS =
  'observe enforce off hold flag approve fsync process file operator signed debug info warn error unlimited forever env store keychain header egress';

/** The keys and words of `config.toml`. */
export function knownOfConfig(): Known {
  const { shape } = GatewayConfig;
  const tables = Object.values(shape).flatMap((member) => keysOf(member));
  return {
    keys: new Set([...Object.keys(shape), ...tables, ...ACTIONS, ...OTHER_KEYS.split(' ')]),
    words: new Set(WORDS.split(' ')),
  };
}

const ACTIONS = ['actions', 'email.send', 'email.fetch', 'calendar.create', 'service.api_call'];

/** The keys of the files in which clients name their servers and hooks. */
export const KNOWN_OF_CLIENTS: Known = {
  keys: new Set(
    (
      'mcpServers mcp_servers servers command args env url type headers cwd enabled disabled disabledTools timeout hooks ' +
      'matcher permissions allow deny ask projects inputs features sandbox_mode approval_policy model ' +
      'SessionStart SessionEnd PreToolUse PostToolUse PostToolUseFailure PostToolBatch PermissionRequest UserPromptSubmit ' +
      'Stop SubagentStart SubagentStop PreCompact Notification startup_timeout_sec tool_timeout_sec'
    ).split(' '),
  ),
  words: new Set(['stdio', 'http', 'sse', 'command', 'mcp_tool']),
};

/** The names of the keys of a table in the schema; none for what is no table. */
function keysOf(member: unknown): readonly string[] {
  const inner: unknown = Reflect.get(Object(member), 'shape');
  if (typeof inner === 'object' && inner !== null) return Object.keys(inner);
  const def: unknown = Reflect.get(Object(member), 'def');
  const wrapped: unknown = Reflect.get(Object(def), 'innerType') ?? Reflect.get(Object(def), 'in');
  return wrapped === undefined || wrapped === member ? [] : keysOf(wrapped);
}
