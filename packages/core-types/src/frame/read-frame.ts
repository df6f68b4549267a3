import { MAX_DEPTH } from '../json/depth.js';
import { parseJson } from '../json/parse.js';
import { StrictParser } from '../json/strict-parser.js';
import type { JsonValue } from '../json/value.js';
import { nextTurn } from '../turn/next-turn.js';
import { type PayloadText, quickFrame } from './quick-frame.js';

/** A longer text that is not written as clients write it is read in turns of the event loop. */
const MAX_IN_TURN = 131_072;
/** As many values are read in one turn: some milliseconds. */
const SLICE = 4096;

/** A frame as it was read. `payload`: the canonical text of its payload, if reading has given it already. */
export interface ReadFrame {
  readonly value: JsonValue;
  readonly payload?: PayloadText;
}

/**
 * Reads the frames of all connections. One that takes turns of the event loop waits for those before it: one
 * has the turn, and one grows in memory.
 */
export class FrameReader {
  #last: Promise<unknown> = Promise.resolve();

  /**
   * Reads a frame as `parseJson` does: at once where it is short, or written as clients write it.
   *
   * @throws SublError `too_deep` or `invalid_json`, also by the promise.
   */
  read(text: string): ReadFrame | Promise<ReadFrame> {
    const quick = quickFrame(text);
    if (quick !== undefined) return quick;
    if (text.length <= MAX_IN_TURN) return { value: parseJson(text) };
    const reading = this.#last.then(() => readInTurns(text));
    this.#last = Promise.allSettled([reading]);
    return reading;
  }
}

/** Without JSON.parse: a text that it reads as it stands has been tried by now. */
async function readInTurns(text: string): Promise<ReadFrame> {
  const parser = new StrictParser(text, MAX_DEPTH);
  for (;;) {
    await nextTurn();
    const value = parser.read(SLICE);
    if (value === undefined) continue;
    await nextTurn();
    return { value };
  }
}
