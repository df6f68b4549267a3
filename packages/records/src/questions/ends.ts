import { textAt } from '@subluminal/core-types';
import type { LedgerReader, LedgerRow } from '@subluminal/ledger';
import type { CallRecord } from '../record.js';
import { questionIn } from '../runs/refusal-counts.js';
import { runEnd } from '../runs/runs.js';
import { newestRows } from '../waiting/newest-rows.js';

/** How a question to a person ended. */
export interface QuestionEnd {
  /** The answer of a person, or that nobody gave one. */
  readonly answer: 'closed' | 'no' | 'yes';
  /** Of a yes: `once` or `run`. Of one that was closed: `expired`, `run_ended` or `rule_changed`. */
  readonly how: string;
  /** The words that came with a no. */
  readonly said: string;
  readonly ts: number;
}

const CLOSED: ReadonlyMap<string, string> = new Map([
  ['expired', 'nobody answered in time'],
  ['run_ended', 'nobody answered before the run ended'],
  ['rule_changed', 'the rule changed before anybody answered'],
]);

/** How a question ended, in words. */
export function endedText({ answer, how, said }: QuestionEnd): string {
  if (answer === 'closed') return `a person was asked: ${CLOSED.get(how) ?? how}`;
  if (answer === 'yes') return `a person said yes, ${how === 'run' ? 'for the run' : 'once'}`;
  return `a person said no${said === '' ? '' : `: ${said}`}`;
}

/** Answers that are looked at, from the newest. */
const MAX_ROWS = 20_000;

/** The id of the question that an entry asks or ends; undefined for one about an action. */
export function questionIdOf({ data }: Pick<LedgerRow, 'data'>): string | undefined {
  return textAt(data, 'question', 'id') || undefined;
}

/** The id of the question that a refused call put to a person. */
export function questionOf({ decision }: CallRecord): string | undefined {
  return questionIn(decision?.data ?? null);
}

/** How the question of a call ended; undefined if it is open, and if there was none. */
export function questionEndOf(reader: LedgerReader, record: CallRecord): QuestionEnd | undefined {
  const id = questionOf(record);
  if (id === undefined) return undefined;
  const { runId, ts } = record.first;
  return endsOf(reader, new Set([id]), ts).get(id) ?? endWithRun(reader, runId);
}

/** The end of a question out of the entry that ended it; undefined for every other entry. */
export function endIn({ type, data, ts }: LedgerRow): QuestionEnd | undefined {
  if (questionIdOf({ data }) === undefined) return undefined;
  const said = textAt(data, 'question', 'said');
  if (type === 'approval_granted')
    return { answer: 'yes', how: textAt(data, 'question', 'reach') || 'once', said, ts };
  if (type !== 'approval_denied') return undefined;
  const closed = textAt(data, 'question', 'closed');
  return { answer: closed === '' ? 'no' : 'closed', how: closed, said, ts };
}

/**
 * The end of a question that nothing has ended yet: with its run, if that is over, whose questions are
 * closed a moment later.
 */
export function endWithRun(reader: LedgerReader, runId: string | null): QuestionEnd | undefined {
  const end = runId === null ? undefined : runEnd(reader, runId);
  return end && { answer: 'closed', how: 'run_ended', said: '', ts: end.ts };
}

/**
 * How questions ended, the oldest of which was asked at `sinceMs`; those that are open are left out. One that
 * ended with its run is an entry of no run, so all answers since then are looked at.
 */
export function endsOf(
  reader: LedgerReader,
  ids: ReadonlySet<string>,
  sinceMs: number,
): ReadonlyMap<string, QuestionEnd> {
  const found = new Map<string, QuestionEnd>();
  for (const type of ['approval_denied', 'approval_granted'] as const) {
    if (found.size >= ids.size) break;
    for (const row of newestRows(reader, type, MAX_ROWS, sinceMs)) {
      const [id, end] = [questionIdOf(row), endIn(row)];
      if (id !== undefined && end !== undefined && ids.has(id) && !found.has(id)) found.set(id, end);
    }
  }
  return found;
}
