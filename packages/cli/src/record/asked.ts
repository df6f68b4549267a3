import type { LedgerReader } from '@subluminal/ledger';
import { endsOf, endWithRun, questionIn, type CallRecord, type QuestionEnd } from '@subluminal/records';

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

/** How the question of a call is answered: by the number of the call. */
export function askedText(seq: number): string {
  return `a person was asked: \`sub approvals show ${seq}\`, as long as the question is open`;
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

/** The same for programs; the names are documented in docs/cli.md. */
export function endJson(end: QuestionEnd | undefined): { readonly [name: string]: string } | null {
  if (end === undefined) return null;
  return { answer: end.answer, how: end.how, said: end.said, at: new Date(end.ts).toISOString() };
}
