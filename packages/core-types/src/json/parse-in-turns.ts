import { nextTurn } from '../turn/next-turn.js';
import { assertTextDepth, MAX_DEPTH } from './depth.js';
import { parseUnambiguous } from './parse.js';
import { StrictParser } from './strict-parser.js';
import type { JsonValue } from './value.js';

/** As many values are read in one turn: some milliseconds. */
const SLICE = 8192;

/**
 * Reads what `parseJson` reads, with the same errors. A text whose meaning is not plain at once is read in
 * turns of the event loop, so that nobody waits for all of it.
 */
export async function parseJsonInTurns(text: string): Promise<JsonValue> {
  assertTextDepth(text, MAX_DEPTH);
  const quick = parseUnambiguous(text);
  if (quick !== undefined) return quick;
  const parser = new StrictParser(text, MAX_DEPTH);
  for (;;) {
    await nextTurn();
    const value = parser.read(SLICE);
    if (value !== undefined) return value;
  }
}
