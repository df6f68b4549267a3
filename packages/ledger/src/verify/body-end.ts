import type { Bytes } from './bytes.js';
import type { Frame, RunFrame } from './names.js';
import type { Row } from './row.js';
import type { RunTip } from './run-tips.js';

/**
 * Where the data of a body ends: what stands behind it (`bodySuffix`) is what the entry's columns, dict and
 * the chain of its run demand. Negative where it is not. It goes from the end to the front, piece by piece,
 * since no piece has to be made first then.
 */
export function dataEnd(row: Row, frame: Frame, run: RunFrame, tip: RunTip): number {
  const { bytes, refAt, refEnd, tsAt, tsEnd, bodyEnd } = row;
  let at = before(bytes, bodyEnd, frame.end);
  at = before(bytes, at, bytes, tsAt, tsEnd - tsAt);
  at = before(bytes, at, frame.tool);
  at = before(bytes, at, run.name);
  at = before(bytes, at, tip.named);
  at = beforeNumber(bytes.octets, at, tip.ri);
  return before(bytes, at, bytes, refAt, refEnd - refAt);
}

/** Where a piece begins that ends at `end`; negative where it does not stand there. */
function before(bytes: Bytes, end: number, piece: Bytes, from = 0, length = piece.length): number {
  return bytes.holds(end - length, piece, from, length) ? end - length : -1;
}

/** The same for a number. */
function beforeNumber(octets: Uint8Array, end: number, number: number): number {
  const digits = String(number);
  const at = end - digits.length;
  for (let index = 0; index < digits.length; index += 1)
    if (octets[at + index] !== digits.charCodeAt(index)) return -1;
  return at;
}
