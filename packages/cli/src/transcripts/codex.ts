import { momentAt, objectAt, textAt, textsAt, type JsonObject } from '@subluminal/core-types';
import { CODEX_BUILTIN, mcpTool } from '@subluminal/hooks';
import { jsonObject, mayBeObject, type LineReader, type MadeCall } from './made-call.js';

const KINDS = /"(?:function_call|custom_tool_call|local_shell_call|session_meta|turn_context)"/;
/** Tools that run a command: the hooks of Codex call each of them `Bash`. */
const SHELLS: ReadonlySet<string> = new Set(['exec_command', 'shell', 'shell_command', 'container.exec']);

interface Called {
  readonly name: string;
  readonly namespace: string;
  readonly args: JsonObject;
}

/** The session files of Codex: an object a line, calls among the items of the model's answers. */
export function codexReader(): LineReader {
  let cwd: string | undefined;
  return (line) => {
    if (line === '') return [];
    if (!mayBeObject(line)) return 'bad';
    if (!KINDS.test(line)) return [];
    const entry = jsonObject(line);
    if (entry === undefined) return 'bad';
    const payload = objectAt(entry, 'payload');
    const type = textAt(entry, 'type');
    if (type === 'session_meta' || type === 'turn_context') {
      cwd = textAt(payload, 'cwd') || cwd;
      return [];
    }
    if (type !== 'response_item') return [];
    const called = calledIn(payload);
    if (called === undefined || called === 'bad') return called ?? [];
    return [{ ...callOf(called, cwd), id: textAt(payload, 'call_id'), ts: momentAt(entry, 'timestamp') }];
  };
}

/** Undefined for an item that is no call. */
function calledIn(item: JsonObject): Called | 'bad' | undefined {
  const [name, namespace] = [textAt(item, 'name'), textAt(item, 'namespace')];
  switch (textAt(item, 'type')) {
    case 'function_call': {
      const args = jsonObject(textAt(item, 'arguments'));
      return args === undefined || name === '' ? 'bad' : { name, namespace, args };
    }
    case 'custom_tool_call': {
      const input = textAt(item, 'input');
      const key = name === 'apply_patch' ? 'command' : 'input';
      return name === '' ? 'bad' : { name, namespace, args: { [key]: input } };
    }
    case 'local_shell_call': {
      const action = objectAt(item, 'action');
      const workdir = textAt(action, 'working_directory');
      const args = { command: [...textsAt(action, 'command')], ...(workdir === '' ? {} : { workdir }) };
      return { name: 'shell', namespace: '', args };
    }
    default:
      return undefined;
  }
}

/** The call as the hooks of Codex tell it. */
function callOf({ name, namespace, args }: Called, cwd: string | undefined): Omit<MadeCall, 'id' | 'ts'> {
  if (namespace.startsWith('mcp__')) {
    const server = namespace.slice('mcp__'.length).replace(/__$/, '');
    return { server, tool: name, args, cwd };
  }
  const ofServer = mcpTool(name, undefined);
  if (ofServer !== undefined) return { server: ofServer.server, tool: ofServer.name, args, cwd };
  if (!SHELLS.has(name)) return { server: CODEX_BUILTIN, tool: name, args, cwd };
  const folder = textAt(args, 'workdir') || textAt(args, 'cwd') || cwd;
  const command = args['cmd'] ?? args['command'] ?? '';
  return { server: CODEX_BUILTIN, tool: 'Bash', args: { command: plainCommand(command) }, cwd: folder };
}

/** `["bash", "-lc", TEXT]` is that text. */
function plainCommand(command: JsonObject[string]): JsonObject[string] {
  if (!Array.isArray(command) || command.length !== 3) return command;
  const [shell, option, text] = command;
  const isShell = typeof shell === 'string' && /(?:^|\/)(?:ba|z)?sh$/.test(shell);
  return isShell && typeof option === 'string' && /^-l?c$/.test(option) && typeof text === 'string'
    ? text
    : command;
}
