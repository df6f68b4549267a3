import { CODES, type CodeName } from '@subluminal/ledger';

/**
 * The decisions that a person may ask for, in the words of policies, the record or `sub tail`, and the
 * decisions of the record that each stands for.
 */
const DECISIONS: ReadonlyMap<string, readonly CodeName[]> = new Map([
  ['ALLOW', ['ALLOW']],
  // A rule with `action: BLOCK` and a hint answers REJECT_WITH_HINT.
  ['BLOCK', ['BLOCK', 'REJECT_WITH_HINT']],
  ['THROTTLE', ['THROTTLE']],
  ['REJECT_WITH_HINT', ['REJECT_WITH_HINT']],
  ['HINT', ['REJECT_WITH_HINT']],
  ['TERMINATE_RUN', ['TERMINATE_RUN']],
  ['TERMINATE', ['TERMINATE_RUN']],
]);

/** The words that a person may ask for a decision with. */
export const DECISION_WORDS: readonly string[] = [...DECISIONS.keys()];

/** The decisions of the record that a word stands for; undefined for any other word. */
export function decisionsNamed(word: string): ReadonlySet<CodeName> | undefined {
  const found = DECISIONS.get(word.toUpperCase());
  return found === undefined ? undefined : new Set(found);
}

/** The words that a person may ask for a status with. */
export const STATUS_WORDS: readonly string[] = [
  ...new Set(CODES.filter(([number]) => number >= 10 && number < 30).map(([, name]) => name.toLowerCase())),
];

/**
 * The statuses of calls and actions that a word stands for; undefined for any other word. Calls end `ERROR`
 * and actions `error`: one word means both.
 */
export function statusesNamed(word: string): ReadonlySet<CodeName> | undefined {
  const wanted = word.toLowerCase();
  const found = CODES.filter(
    ([number, name]) => number >= 10 && number < 30 && name.toLowerCase() === wanted,
  );
  return found.length === 0 ? undefined : new Set(found.map(([, name]) => name));
}
