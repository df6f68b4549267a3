import { type JsonObject, textAt, valueAt } from '@subluminal/core-types';
import { type Form, formFit } from '../checkpoint/structured.js';
import type { FormFit } from '../event.js';
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
  /** How it fits the form of a checkpoint, as `formOf` told it. */
  readonly form: FormFit | undefined;
}

/** How a call fits the form that is configured, by its arguments; undefined for a call of another tool. */
export function formOf(
  form: Form | undefined,
  tool: readonly [string, string],
  args: JsonObject | undefined,
): FormFit | undefined {
  return formFit(form, nameOf(tool), args);
}

/** A call as the plane sees it: `start` is its `tool_call_start`. Undefined for an entry without a tool. */
export function actionTold(
  start: ToldEntry,
  { code, form, isRefused, target }: CallOutcome,
): AgentEvent | undefined {
  const { data, seq, tool, ts } = start;
  if (tool === undefined || tool === null || typeof tool === 'string') return undefined;
  const cwd = textAt(data, 'call', 'cwd');
  return {
    agent: textAt(data, 'call', 'context', 'agent_id'),
    cwd,
    event: {
      kind: 'action',
      id: String(seq),
      atMs: ts,
      tool: nameOf(tool),
      target,
      status: isRefused ? 'refused' : statusOf(code, textAt(data, 'call', 'via')),
      isProtected: isTagged(data),
      repository: cwd === '' ? undefined : cwd,
      form,
    },
  };
}

/** The name that clients have for a tool. */
function nameOf([server, name]: readonly [string, string]): string {
  return BUILTINS.has(server) ? name : `mcp__${server}__${name}`;
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
