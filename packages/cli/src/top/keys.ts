/** The moves that keys make on the screen. */
export type Move = 'back' | 'down' | 'end' | 'first' | 'last' | 'open' | 'up';

const MOVES: ReadonlyMap<string, Move> = new Map([
  ['j', 'down'],
  ['\u001b[B', 'down'],
  ['\u001bOB', 'down'],
  ['k', 'up'],
  ['\u001b[A', 'up'],
  ['\u001bOA', 'up'],
  ['g', 'first'],
  ['\u001b[H', 'first'],
  ['G', 'last'],
  ['\u001b[F', 'last'],
  ['\r', 'open'],
  ['\n', 'open'],
  ['\u001b', 'back'],
  ['\u007f', 'back'],
  ['q', 'end'],
  ['\u0003', 'end'],
  ['\u0004', 'end'],
]);

/** Keys that come in one piece are read one by one, up to so many. */
const MOST = 32;
const ESCAPE = '\u001b';

/** The moves of what a terminal sends at once: a sequence of one key, or keys that were typed quickly. */
export function movesOf(text: string): readonly Move[] {
  const keys = text.startsWith(ESCAPE) ? [text] : Array.from(text.slice(0, MOST));
  return keys.flatMap((key) => MOVES.get(key) ?? []);
}
