import { MAX_DEPTH } from '../json/depth.js';
import { parseJson } from '../json/parse.js';
import { StrictParser } from '../json/strict-parser.js';
import type { JsonValue } from '../json/value.js';
import { nextTurn } from '../turn/next-turn.js';
import { type PayloadText, quickFrame } from './quick-frame.js';

/** A longer text that is not written as clients write it is read in turns of the event loop. */
const MAX_IN_TURN = 131_072;
/** As many values are read in one turn. */
const SLICE = 4096;
const SLICE_CHARACTERS = 131_072;

/** A frame as it was read. `payload`: the canonical text of its payload, if reading has given it already. */
export interface ReadFrame {
  readonly value: JsonValue;
  readonly payload?: PayloadText;
}

/** Somebody's frames that take turns, oldest first. */
type Waiting = (() => Promise<void>)[];

/**
 * Reads the frames of all connections. Of those that take turns of the event loop one has the turn, and grows
 * in memory. The others wait, one of each run after one of each other run.
 */
export class FrameReader {
  readonly #waiting = new Map<unknown, Waiting>();
  #isReading = false;

  /**
   * Reads a frame of `whose`, a run or a kind of client, as `parseJson` does: at once where it is short, or
   * written as clients write it.
   *
   * @throws SublError `too_deep` or `invalid_json`, also by the promise.
   */
  read(text: string, whose: unknown): ReadFrame | Promise<ReadFrame> {
    const quick = quickFrame(text);
    if (quick !== undefined) return quick;
    if (text.length <= MAX_IN_TURN) return { value: parseJson(text) };
    return new Promise((resolve, reject) => {
      const waiting = this.#waiting.get(whose) ?? [];
      waiting.push(() => readInTurns(text).then(resolve, reject));
      this.#waiting.set(whose, waiting);
      if (!this.#isReading) void this.#readAll();
    });
  }

  async #readAll(): Promise<void> {
    this.#isReading = true;
    for (const [whose, waiting] of this.#waiting) {
      await waiting.shift()?.();
      // Behind those that came meanwhile.
      this.#waiting.delete(whose);
      if (waiting.length > 0) this.#waiting.set(whose, waiting);
    }
    this.#isReading = false;
  }
}

/** Without JSON.parse: a text that it reads as it stands has been tried by now. */
async function readInTurns(text: string): Promise<ReadFrame> {
  const parser = new StrictParser(text, MAX_DEPTH);
  for (;;) {
    await nextTurn();
    const value = parser.read(SLICE, SLICE_CHARACTERS);
    if (value === undefined) continue;
    await nextTurn();
    return { value };
  }
}
