import { SublError, textAt } from '@subluminal/core-types';
import type { Waiting } from '../../inbox/waiting.js';

const ANSWERED: ReadonlyMap<string, string> = new Map([
  ['once', 'yes, once'],
  ['run', 'yes, run'],
  ['approved', 'yes, once'],
  ['denied', 'no'],
]);

/** The effect of an answer, and how long it holds. */
const HOLDS: ReadonlyMap<string, string> = new Map([
  ['once', 'it is good for one call within 15 minutes, and cannot be taken back'],
  ['run', 'it holds until the run ends, and cannot be taken back'],
  [
    'denied',
    'it holds until the run ends; `--for always` writes a rule that lets such calls pass in later runs',
  ],
]);

/** Throws `approval_used` for a question that was answered: an answer is never changed. */
export function assertOpen({ kind, id, isOpen, facts }: Waiting): void {
  const state = textAt(facts, 'state');
  if (kind !== 'question' || isOpen) return;
  throw new SublError('approval_used', `\`${id}\` was answered already: ${answeredText(state)}`, {
    help: HOLDS.get(state) ?? '`sub approvals list` shows what is open',
  });
}

/** The answer that the state of a question or an action stands for. */
export function answeredText(state: string): string {
  return ANSWERED.get(state) ?? state;
}
