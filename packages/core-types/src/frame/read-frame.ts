import { parseJsonInTurns } from '../json/parse-in-turns.js';
import { parseJson } from '../json/parse.js';
import type { JsonValue } from '../json/value.js';
import { type PayloadText, quickFrame } from './quick-frame.js';

/** A longer text that is not read quickly is read in turns of the event loop, between those of others. */
const MAX_IN_TURN = 131_072;

/** A frame as it was read. `payload`: the canonical text of its payload, if reading has given it already. */
export interface ReadFrame {
  readonly value: JsonValue;
  readonly payload?: PayloadText;
}

/**
 * Reads a frame as `parseJson` does: at once where it is short, or written as clients write it, else in turns
 * of the event loop.
 *
 * @throws SublError `too_deep` or `invalid_json`, also by the promise.
 */
export function readFrame(text: string): ReadFrame | Promise<ReadFrame> {
  const quick = quickFrame(text);
  if (quick !== undefined) return quick;
  if (text.length <= MAX_IN_TURN) return { value: parseJson(text) };
  return parseJsonInTurns(text).then((value) => ({ value }));
}
