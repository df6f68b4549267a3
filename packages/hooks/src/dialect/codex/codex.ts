import type { JsonObject } from '@subluminal/core-types';
import { factsIn, hashedText, inputIn, labelIn, textIn } from '../members.js';
import { passed } from '../context.js';
import { denied } from '../denied.js';
import { mcpTool } from '../mcp-name.js';
import type { ClientTool, Dialect, Happened, Source, Told } from '../told.js';

/** The name under which rules and the record have the tools of Codex itself. */
export const CODEX_BUILTIN = 'codex:builtin';

/** Codex, whose hooks give what `INPUTS` asks for and read a JSON object of a closed schema. */
export const codex: Dialect = {
  via: 'codex_hook',
  waitsForHooks: false,
  read: readEvent,
  // Its answer to Stop has a place for a reason alone, which makes the agent go on: none is given there.
  takesContext: new Set(['PostToolUse', 'UserPromptSubmit']),
  pass: passed,
  refuse: (reason) => denied(reason),
};

const CLOSES: ReadonlyMap<string, Happened['closes']> = new Map([
  ['SessionStart', 'nothing'],
  ['UserPromptSubmit', 'nothing'],
  ['Stop', 'turn'],
  ['SubagentStart', 'nothing'],
  ['SubagentStop', 'turn'],
  ['PreCompact', 'nothing'],
  ['PostCompact', 'nothing'],
]);
const FACTS = ['source', 'model', 'permission_mode', 'stop_hook_active', 'trigger'];

function readEvent(body: JsonObject): Told | undefined {
  const event = labelIn(body, 'hook_event_name');
  if (event === undefined) return undefined;
  const source = sourceOf(body);
  if (event === 'PreToolUse' || event === 'PostToolUse') {
    const id = labelIn(body, 'tool_use_id');
    const tool = toolOf(body);
    const input = inputIn(body);
    if (id === undefined || tool === undefined) return undefined;
    if (event === 'PostToolUse')
      return {
        kind: 'ends',
        source,
        event,
        id,
        tool,
        input,
        // Codex does not say how a command ended.
        status: 'OK',
        result: body['tool_response'],
        error: undefined,
      };
    return { kind: 'begins', source, id, tool, input, mode: labelIn(body, 'permission_mode') };
  }
  const closes = CLOSES.get(event);
  if (closes === undefined) return undefined;
  const prompt = textIn(body, 'prompt');
  const facts = {
    ...factsIn(body, FACTS),
    ...(event === 'UserPromptSubmit' && prompt !== undefined ? { prompt: hashedText(prompt) } : {}),
  };
  return { kind: 'happened', source, event, facts, closes, id: undefined };
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
  return mcpTool(name, undefined) ?? { server: CODEX_BUILTIN, name, isMcp: false, saysServer: true };
}
