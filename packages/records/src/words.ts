import { textAt } from '@subluminal/core-types';
import { CODES, type CodeName } from '@subluminal/ledger';
import { actionOf, statusOf, type CallRecord } from './record.js';
import { questionIn } from './runs/refusal-counts.js';

/** A decision of the record; a call that a person was asked about is recorded as REJECT_WITH_HINT. */
export type Decided = Extract<CodeName, string> | 'ASKED';

/** The words of people for decisions, under those of the contract. */
const DECISIONS: ReadonlyMap<string, string> = new Map([
  ['ALLOW', 'allowed'],
  ['BLOCK', 'refused'],
  ['REJECT_WITH_HINT', 'hinted'],
  ['ASKED', 'asked'],
  ['ASK', 'asked'],
  ['THROTTLE', 'slowed'],
  ['TERMINATE_RUN', 'ended'],
]);

/** The same for how calls, actions and runs end, and for the outcomes of single rules. */
const STATUSES: ReadonlyMap<string, string> = new Map([
  ['OK', 'ok'],
  ['success', 'ok'],
  ['ERROR', 'failed'],
  ['error', 'failed'],
  ['rejected', 'refused'],
  ['rate_limited', 'slowed'],
  ['requires_approval', 'asked'],
  ['TERMINATED', 'ended'],
  ['asks', 'asked'],
  ['blocked', 'refused'],
]);

/** The word of people for a decision or a status of the contract; all others in lower case. */
export function wordFor(code: string): string {
  return DECISIONS.get(code) ?? STATUSES.get(code) ?? code.toLowerCase().replaceAll('_', ' ');
}

/**
 * The word of people for a ruling of the policy: a rule that asks answers REJECT_WITH_HINT, with this reason.
 */
export function wordForRuling(action: string, reasonCode: string): string {
  return wordFor(action === 'REJECT_WITH_HINT' && reasonCode === 'APPROVAL_REQUIRED' ? 'ASKED' : action);
}

/** The decision of a call, in the words of the contract; null for an action, and if there is none. */
export function decisionOf({ decision }: CallRecord): Decided | null {
  if (decision === null) return null;
  return questionIn(decision.data) === undefined ? decision.code : 'ASKED';
}

/** The word for an act of the operator that stopped everything, or let it go on; null for all others. */
export function brakeOf(record: CallRecord): 'resumed' | 'stopped' | null {
  if (record.first.type === 'panicked') return 'stopped';
  const hasLetGo = textAt(record.last?.data ?? null, 'detail', 'resumed') === 'true';
  return hasLetGo && actionOf(record) === 'panic.end' ? 'resumed' : null;
}

/** The outcome of a call or an action, in the words of the contract: the refusal, else how it ended. */
export function outcomeOf(record: CallRecord): string {
  const brake = brakeOf(record);
  if (brake !== null) return brake;
  const decision = decisionOf(record);
  if (decision !== null && decision !== 'ALLOW') return decision;
  const status = statusOf(record);
  if (status !== null)
    return textAt(record.last?.data ?? null, 'outcome') === 'refused' ? 'rejected' : status;
  return record.first.type === 'tool_call_start' && decision === null ? 'undecided' : 'running';
}

/**
 * The decisions that a person may ask for. The words of people mean what tables call so; those of a policy
 * what its rules do: a rule with `action: BLOCK` and a hint answers REJECT_WITH_HINT.
 */
const DECISIONS_ASKED: ReadonlyMap<string, readonly Decided[]> = new Map([
  ['allowed', ['ALLOW']],
  ['refused', ['BLOCK']],
  ['hinted', ['REJECT_WITH_HINT']],
  ['asked', ['ASKED']],
  ['slowed', ['THROTTLE']],
  ['ended', ['TERMINATE_RUN']],
  ['ALLOW', ['ALLOW']],
  ['BLOCK', ['BLOCK', 'REJECT_WITH_HINT']],
  ['REJECT_WITH_HINT', ['REJECT_WITH_HINT', 'ASKED']],
  ['ASK', ['ASKED']],
  ['THROTTLE', ['THROTTLE']],
  ['TERMINATE_RUN', ['TERMINATE_RUN']],
]);

/** The words by which a person may ask for decisions, as tables show them. */
export const DECISION_WORDS: readonly string[] = [...DECISIONS_ASKED.keys()].filter(
  (word) => word === word.toLowerCase(),
);

/** The decisions that a word of people or of the contract stands for, in any case; undefined for others. */
export function decisionsNamed(word: string): ReadonlySet<Decided> | undefined {
  const found = DECISIONS_ASKED.get(word.toLowerCase()) ?? DECISIONS_ASKED.get(word.toUpperCase());
  return found === undefined ? undefined : new Set(found);
}

/** The words of people for how calls and actions end, as tables show it. */
export const STATUS_WORDS: readonly string[] = [
  'ok',
  'failed',
  'timeout',
  'cancelled',
  ...DECISION_WORDS.filter((word) => word !== 'allowed'),
  'running',
  'undecided',
  'stopped',
  'resumed',
];

/** The statuses of the record, which no word of people is. */
const STATUS_CODES: readonly CodeName[] = CODES.flatMap(([number, name]) =>
  number >= 10 && number < 30 ? [name] : [],
);

/** How records end that a person asks for: by a word of tables, or by statuses of the record. */
export type Ended = { readonly word: string } | { readonly codes: ReadonlySet<string> };

/** The ends that a word stands for, in any case. Calls end `ERROR`, actions `error`: one word is both. */
export function statusesNamed(written: string): Ended | undefined {
  const wanted = written.toLowerCase();
  if (STATUS_WORDS.includes(wanted)) return { word: wanted };
  const codes = STATUS_CODES.filter((name) => name.toLowerCase() === wanted);
  return codes.length === 0 ? undefined : { codes: new Set(codes) };
}

/** Whether a record ended so. */
export function hasEnded(record: CallRecord, ended: Ended): boolean {
  if ('word' in ended) return wordFor(outcomeOf(record)) === ended.word;
  return ended.codes.has(statusOf(record) ?? '');
}
