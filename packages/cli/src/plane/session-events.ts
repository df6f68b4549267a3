import { textAt } from '@subluminal/core-types';
import type { LedgerRow } from '@subluminal/ledger';
import type { LifeKind, PlaneEvent, Telemetry } from '@subluminal/plane';
import { type CallRecord, EXPIRED, type SessionStep } from '@subluminal/records';

/** An event of one agent of a session; `agent` is empty for the agent of the session itself. */
export interface AgentEvent {
  readonly agent: string;
  readonly event: PlaneEvent;
  /** The folder that the agent works in; empty where it is not told. */
  readonly cwd: string;
}

/** The facts that the record has of each client. It does not say yet which calls the policy protects. */
export const CLIENT_TELEMETRY: Readonly<Record<string, readonly Telemetry[]>> = {
  claude_hook: ['life', 'status', 'target', 'time', 'tool'],
  codex_hook: ['life', 'target', 'time', 'tool'],
};

/** The events of a client's life, by the names that clients give them. */
const LIFE: ReadonlyMap<string, LifeKind> = new Map<string, LifeKind>([
  ['SessionStart', 'started'],
  ['SessionEnd', 'ended'],
  ['UserPromptSubmit', 'prompted'],
  ['Stop', 'stopped'],
  ['SubagentStart', 'subagent_started'],
  ['SubagentStop', 'subagent_stopped'],
  ['PostCompact', 'compacted'],
]);

/** A step of a session as the plane sees it; undefined for one that it does not look at. */
export function agentEventOf(step: SessionStep): AgentEvent | undefined {
  return 'record' in step ? actionOf(step.record) : lifeOf(step.event);
}

/** The client that a step is told by: `claude_hook`, `codex_hook`, or empty. */
export function viaOf(step: SessionStep): string {
  return 'record' in step
    ? textAt(step.record.first.data, 'call', 'via')
    : textAt(step.event.data, 'hook', 'via');
}

function actionOf({ first, last, object }: CallRecord): AgentEvent | undefined {
  const { data, seq, tool, ts } = first;
  if (tool === null || typeof tool === 'string') return undefined;
  const [server, name] = tool;
  const cwd = textAt(data, 'call', 'cwd');
  // Calls whose previews have expired are not the same call.
  const target = object === null || object === EXPIRED ? undefined : object;
  return {
    agent: textAt(data, 'call', 'context', 'agent_id'),
    cwd,
    event: {
      kind: 'action',
      id: String(seq),
      atMs: ts,
      tool: server.endsWith(':builtin') ? name : `mcp__${server}__${name}`,
      target,
      status: statusOf(last, textAt(data, 'call', 'via')),
      isProtected: undefined,
      repository: cwd === '' ? undefined : cwd,
      result: undefined,
    },
  };
}

/** Codex ends every command alike. */
function statusOf(last: LedgerRow | null, via: string): 'failed' | 'ok' | undefined {
  if (last === null || via === 'codex_hook') return undefined;
  return last.code === 'OK' ? 'ok' : 'failed';
}

/** A subagent's own beginning and end are told to the agent that has it. */
function lifeOf({ data, seq, ts }: LedgerRow): AgentEvent | undefined {
  const named = LIFE.get(textAt(data, 'hook', 'event'));
  if (named === undefined) return undefined;
  const what = named === 'started' && textAt(data, 'facts', 'source') === 'resume' ? 'resumed' : named;
  return { agent: '', cwd: '', event: { kind: 'life', id: String(seq), atMs: ts, what } };
}
