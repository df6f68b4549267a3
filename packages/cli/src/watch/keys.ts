/** The answer that a key gives to the question that is shown. */
export type KeyAnswer = 'later' | 'no' | 'once' | 'run';

const ANSWERS: ReadonlyMap<string, KeyAnswer> = new Map([
  ['y', 'once'],
  ['r', 'run'],
  ['n', 'no'],
  ['l', 'later'],
]);

/** A key that comes sooner after its question was typed for something else. */
const TYPED_AHEAD_MS = 500;

/** Ends the view: `q`, Ctrl-C and Ctrl-D. */
const ENDS: ReadonlySet<string> = new Set(['q', '\u0003', '\u0004']);

/** The meaning of one key. `shownAt`: when the question that is answered was shown; undefined for none. */
export function meaningOf(
  key: string,
  shownAt: number | undefined,
  now: number,
): KeyAnswer | 'end' | 'too soon' | undefined {
  if (ENDS.has(key)) return 'end';
  const answer = ANSWERS.get(key.toLowerCase());
  if (answer === undefined || shownAt === undefined) return undefined;
  return now - shownAt < TYPED_AHEAD_MS ? 'too soon' : answer;
}
