import type { Decision } from '@subluminal/core-types';
import type { Refused } from './contract.js';

const WORDS: Readonly<Record<Refused['decision'], string>> = {
  BLOCK: 'blocked by policy',
  THROTTLE: 'throttled by policy',
  REJECT_WITH_HINT: 'rejected with a hint',
  TERMINATE_RUN: 'the run was ended by policy',
};

/** A refusal in one line. Many clients show their model nothing else: it says how to go on, too. */
export function refusalText({ decision, details }: Pick<Refused, 'decision' | 'details'>): string {
  const { hint: given, summary } = details;
  // The hint says who was asked, until when, and that the same call may be made again.
  if (given?.approval !== undefined) return `not made yet: ${summary}; ${given.hint_text}`;
  const hint = given === undefined ? '' : `; hint: ${given.hint_text}`;
  const advice = retryAdvice(details);
  return `${WORDS[decision]}: ${summary}${hint}${advice === null ? '' : `; retry: ${advice}`}`;
}

/** When and how the call may be tried again; null where nothing is known of that. */
export function retryAdvice({ backoff_ms: backoff, retry_advice: advice, hint }: Decision): string | null {
  if (backoff === undefined) return hint?.retry_advice ?? null;
  return advice ?? `wait ${backoff} ms, then ask again`;
}
