import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { SublError } from '@subluminal/core-types';
import { whyOf } from '../output/system-error.js';

/** A line, and its number from 1. */
export interface Line {
  readonly text: string;
  readonly number: number;
}

const CHUNK = 1024 * 1024;
const MAX_LINE = 1024 * 1024;
const MAX_FILE = 4 * 1024 ** 3;
const MAX_PIPE = 64 * 1024 * 1024;

/** The size of a file of events. Throws `usage` for what is none, or is too large. */
export function sizeOf(path: string): number {
  const file = opened(path);
  try {
    const stats = fstatSync(file);
    if (stats.isFile() && stats.size <= MAX_FILE) return stats.size;
    throw new SublError('usage', `\`${path}\` is no file of at most 4 GiB`, {
      help: 'name a file of events or the folder of a bundle, or pipe events in with `-`',
    });
  } finally {
    closeSync(file);
  }
}

/**
 * The lines of the first `size` bytes of a file, in a bounded memory. Throws `usage` where it cannot be read
 * as text.
 */
export function* fileLines(path: string, size: number): Generator<Line> {
  const file = opened(path);
  const chunk = Buffer.alloc(Math.min(CHUNK, Math.max(1, size)));
  const lines = new LineCutter(path);
  try {
    for (let left = size; left > 0;) {
      const read = readSync(file, chunk, 0, Math.min(chunk.length, left), null);
      if (read === 0) break;
      left -= read;
      yield* lines.cut(Buffer.from(chunk.subarray(0, read)));
    }
    yield* lines.rest();
  } finally {
    closeSync(file);
  }
}

/** All that is piped in: it is gone through twice, so it is held. Throws `usage` for more than 64 MiB. */
export async function pipedBytes(input: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of input) {
    bytes += part.length;
    if (bytes > MAX_PIPE)
      throw new SublError('usage', 'more than 64 MiB were piped in', { help: 'name a file instead' });
    parts.push(part);
  }
  return Buffer.concat(parts);
}

/** The lines of what was piped in. */
export function* pipedLines(bytes: Buffer): Generator<Line> {
  const lines = new LineCutter('-');
  yield* lines.cut(bytes);
  yield* lines.rest();
}

class LineCutter {
  readonly #name: string;
  #parts: Buffer[] = [];
  #waiting = 0;
  #number = 0;

  constructor(name: string) {
    this.#name = name;
  }

  *cut(bytes: Buffer): Generator<Line> {
    let from = 0;
    for (let end = bytes.indexOf(0x0a); end !== -1; end = bytes.indexOf(0x0a, from)) {
      this.#parts.push(bytes.subarray(from, end));
      yield* this.#line();
      from = end + 1;
    }
    this.#parts.push(bytes.subarray(from));
    this.#waiting += bytes.length - from;
    if (this.#waiting > MAX_LINE) throw this.#refuse('is longer than 1 MiB', this.#number + 1);
  }

  /** A last line without its newline is a line all the same: who writes it may have ended there. */
  *rest(): Generator<Line> {
    if (this.#waiting > 0) yield* this.#line();
  }

  *#line(): Generator<Line> {
    const line = Buffer.concat(this.#parts);
    this.#parts = [];
    this.#waiting = 0;
    this.#number += 1;
    let text: string;
    try {
      text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(line);
    } catch (error) {
      if (error instanceof TypeError) throw this.#refuse('is not UTF-8', this.#number);
      throw error;
    }
    if (text.trim() !== '') yield { text, number: this.#number };
  }

  #refuse(why: string, number: number): SublError {
    return new SublError('usage', `line ${number} of \`${this.#name}\` ${why}`, {
      help: 'nothing was ingested: a file of events has one JSON object a line',
    });
  }
}

function opened(path: string): number {
  try {
    return openSync(path, 'r');
  } catch (cause) {
    throw new SublError('usage', `\`${path}\` cannot be read: ${whyOf(cause)}`, {
      cause,
      help: 'name a file of events or the folder of a bundle, or pipe events in with `-`',
    });
  }
}
