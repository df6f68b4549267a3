/** A question about one name (RFC 1035 §4.1). */
export interface Question {
  /** Lower case, without the last dot. */
  readonly name: string;
  readonly type: number;
  /** Header and question, as they came. */
  readonly head: Buffer;
}

const HEADER = 12;
const MAX_NAME = 254;
const MAX_LABEL = 63;

/**
 * Reads a datagram of a program that nobody trusts. Undefined for anything that is not one question of the
 * class IN: an answer, several questions, a compressed or unfinished name, a byte that no name of a host has.
 */
export function readQuestion(datagram: Buffer): Question | undefined {
  if (datagram.length < HEADER + 5 || datagram.length > 4096) return undefined;
  const flags = datagram.readUInt16BE(2);
  const isQuery = (flags & 0xf800) === 0;
  if (!isQuery || datagram.readUInt16BE(4) !== 1) return undefined;
  const labels: string[] = [];
  let at = HEADER;
  for (;;) {
    const length = datagram[at];
    if (length === undefined || length > MAX_LABEL || at - HEADER > MAX_NAME) return undefined;
    at += 1;
    if (length === 0) break;
    const label = datagram.subarray(at, at + length);
    if (label.length < length || !label.every((byte) => byte > 0x20 && byte < 0x7f && byte !== 0x2e))
      return undefined;
    labels.push(label.toString('latin1'));
    at += length;
  }
  if (labels.length === 0 || datagram.length < at + 4) return undefined;
  if (datagram.readUInt16BE(at + 2) !== 1) return undefined;
  const type = datagram.readUInt16BE(at);
  return { name: labels.join('.').toLowerCase(), type, head: datagram.subarray(0, at + 4) };
}
