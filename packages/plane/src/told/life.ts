import { textAt } from '@subluminal/core-types';
import type { LifeKind } from '../event.js';
import type { AgentEvent, ToldEntry } from './told.js';

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

/**
 * A `hook_event` as the plane sees it; undefined for one that it does not look at. A subagent's own beginning
 * and end are told to the agent that has it.
 */
export function lifeTold({ data, seq, ts }: ToldEntry): AgentEvent | undefined {
  const named = LIFE.get(textAt(data, 'hook', 'event'));
  if (named === undefined) return undefined;
  const what = named === 'started' && textAt(data, 'facts', 'source') === 'resume' ? 'resumed' : named;
  return { agent: '', cwd: '', event: { kind: 'life', id: String(seq), atMs: ts, what } };
}
