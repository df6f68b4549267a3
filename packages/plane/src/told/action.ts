import { textAt, valueAt } from '@subluminal/core-types';
import type { AgentEvent, ToldEntry } from './told.js';

/** The risk class by which a policy protects a call. */
export const PROTECTED = 'protected';

/** The names under which clients' own tools are recorded. */
const BUILTINS: ReadonlySet<string> = new Set(['claude:builtin', 'codex:builtin']);

/** How a call came out, beside its first entry. */
export interface CallOutcome {
  /** Its command, file, query or address; undefined for none, and where it is not kept. */
  readonly target: string | undefined;
  /** The code of its end; undefined where there is none. */
  readonly code: string | undefined;
  /** It was not let through. */
  readonly isRefused: boolean;
}

/** A call as the plane sees it: `start` is its `tool_call_start`. Undefined for an entry without a tool. */
export function actionTold(
  start: ToldEntry,
  { code, isRefused, target }: CallOutcome,
): AgentEvent | undefined {
  const { data, seq, tool, ts } = start;
  if (tool === undefined || tool === null || typeof tool === 'string') return undefined;
  const [server, name] = tool;
  const cwd = textAt(data, 'call', 'cwd');
  return {
    agent: textAt(data, 'call', 'context', 'agent_id'),
    cwd,
    event: {
      kind: 'action',
      id: String(seq),
      atMs: ts,
      tool: BUILTINS.has(server) ? name : `mcp__${server}__${name}`,
      target,
      status: isRefused ? 'refused' : statusOf(code, textAt(data, 'call', 'via')),
      isProtected: isTagged(data),
      repository: cwd === '' ? undefined : cwd,
      result: undefined,
    },
  };
}

function isTagged(data: ToldEntry['data']): boolean {
  const tags = valueAt(data, 'call', 'tags');
  return Array.isArray(tags) && tags.includes(PROTECTED);
}

/** Codex ends every command alike. */
function statusOf(code: string | undefined, via: string): 'failed' | 'ok' | undefined {
  if (code === undefined || via === 'codex_hook') return undefined;
  return code === 'OK' ? 'ok' : 'failed';
}
