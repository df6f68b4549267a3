import type { JsonObject } from '@subluminal/core-types';
import { factsIn, hashedText, labelIn, objectIn, textIn } from '../members.js';
import { passed } from '../context.js';
import { denied } from '../denied.js';
import { mcpTool } from '../mcp-name.js';
import type { ClientTool, Dialect, Source, Told } from '../told.js';
import { CLAUDE_EVENTS } from './events.js';

/** The name under which rules and the record have the tools of Claude Code itself. */
export const CLAUDE_BUILTIN = 'claude:builtin';

/** Claude Code, whose hooks give a JSON object and read one. */
export const claude: Dialect = {
  via: 'claude_hook',
  waitsForHooks: true,
  read: readEvent,
  takesContext: new Set(['PostToolUse', 'PostToolUseFailure', 'UserPromptSubmit']),
  pass: passed,
  refuse: (reason, notice) => ({
    ...denied(reason),
    ...(notice === undefined ? {} : { terminalSequence: `${OSC_9}${notice}${BEL}${BEL}` }),
  }),
};

/** A notification of the terminal, and its bell: the client writes them where it has a terminal. */
const OSC_9 = '\u001b]9;';
const BEL = '\u0007';

function readEvent(body: JsonObject): Told | undefined {
  const event = labelIn(body, 'hook_event_name');
  if (event === undefined) return undefined;
  const source = sourceOf(body);
  const id = labelIn(body, 'tool_use_id');
  if (event === 'PreToolUse' || event === 'PostToolUse' || event === 'PostToolUseFailure') {
    const tool = toolOf(body);
    const input = objectIn(body, 'tool_input');
    if (id === undefined || tool === undefined) return undefined;
    if (event === 'PreToolUse') {
      if (input === undefined) return undefined;
      return { kind: 'begins', source, id, tool, input, mode: labelIn(body, 'permission_mode') };
    }
    const failed = event === 'PostToolUseFailure';
    return {
      kind: 'ends',
      source,
      event,
      id,
      tool,
      input,
      status: failed ? (body['is_interrupt'] === true ? 'CANCELLED' : 'ERROR') : 'OK',
      result: body['tool_response'],
      error: failed ? (textIn(body, 'error') ?? 'the tool failed') : undefined,
    };
  }
  const known = CLAUDE_EVENTS.get(event);
  if (known === undefined) return undefined;
  const prompt = textIn(body, 'prompt');
  const facts = {
    ...factsIn(body, known.facts),
    ...(event === 'UserPromptSubmit' && prompt !== undefined ? { prompt: hashedText(prompt) } : {}),
  };
  return { kind: 'happened', source, event, facts, closes: known.closes, id };
}

function sourceOf(body: JsonObject): Source {
  return {
    session: labelIn(body, 'session_id'),
    agentId: labelIn(body, 'agent_id'),
    agentType: labelIn(body, 'agent_type'),
    cwd: textIn(body, 'cwd'),
  };
}

function toolOf(body: JsonObject): ClientTool | undefined {
  const name = labelIn(body, 'tool_name');
  if (name === undefined) return undefined;
  const server = objectIn(body, 'mcp_server');
  const said = server === undefined ? undefined : labelIn(server, 'name');
  return mcpTool(name, said) ?? { server: CLAUDE_BUILTIN, name, isMcp: false, saysServer: true };
}
