import type { Random } from './random.js';

const BYTES = [
  0x00, 0x01, 0x09, 0x0a, 0x0d, 0x20, 0x22, 0x5c, 0x7b, 0x7d, 0x7f, 0x80, 0xc0, 0xed, 0xef, 0xff,
];

/** What a mutation draws from besides the input itself. */
export interface Material {
  readonly others: readonly Buffer[];
  readonly words: readonly string[];
  readonly maxBytes: number;
}

/** One to four changes to an input. */
export function mutate(random: Random, input: Buffer, material: Material): Buffer {
  let bytes = input;
  for (let left = 1 + random.below(4); left > 0; left -= 1) bytes = change(random, bytes, material);
  return bytes.length > material.maxBytes ? bytes.subarray(0, material.maxBytes) : bytes;
}

function change(random: Random, bytes: Buffer, { others, words }: Material): Buffer {
  const at = random.below(bytes.length + 1);
  const end = Math.min(bytes.length, at + 1 + random.below(random.once(4) ? 256 : 8));
  switch (random.below(10)) {
    case 0: {
      const copy = Buffer.from(bytes);
      if (at < copy.length) copy[at] = (copy[at] ?? 0) ^ (1 << random.below(8));
      return copy;
    }
    case 1: {
      const copy = Buffer.from(bytes);
      if (at < copy.length) copy[at] = random.pick(BYTES);
      return copy;
    }
    case 2:
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(end)]);
    case 3:
      return Buffer.concat([bytes.subarray(0, end), bytes.subarray(at, end), bytes.subarray(end)]);
    case 4:
    case 5:
      return join(bytes, at, at, Buffer.from(words.length === 0 ? '\0' : random.pick(words)));
    case 6:
      return join(bytes, at, end, Buffer.from(words.length === 0 ? '' : random.pick(words)));
    case 7: {
      const other = random.pick(others);
      const from = random.below(other.length + 1);
      return Buffer.concat([bytes.subarray(0, at), other.subarray(from)]);
    }
    case 8: {
      const other = random.pick(others);
      const from = random.below(other.length + 1);
      return join(bytes, at, end, other.subarray(from, from + 1 + random.below(64)));
    }
    default: {
      const copy = Buffer.from(bytes);
      if (copy.length >= 4)
        copy.writeUInt32BE(random.below(random.once(2) ? 64 : 0xffffffff), random.below(copy.length - 3));
      return copy;
    }
  }
}

function join(bytes: Buffer, start: number, end: number, middle: Buffer): Buffer {
  return Buffer.concat([bytes.subarray(0, start), middle, bytes.subarray(end)]);
}

/**
 * Makes an input shorter as long as `fails` says that it still breaks the promise. At most `tries` attempts.
 */
export async function minimise(
  input: Buffer,
  fails: (input: Buffer) => Promise<boolean>,
  tries = 2000,
): Promise<Buffer> {
  let best = input;
  let left = tries;
  for (let size = Math.max(1, best.length >> 1); size >= 1; size = size >> 1) {
    for (let at = 0; at < best.length && left > 0; left -= 1) {
      const shorter = Buffer.concat([best.subarray(0, at), best.subarray(at + size)]);
      if (await fails(shorter)) best = shorter;
      else at += size;
    }
  }
  return best;
}
