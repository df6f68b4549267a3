import { createHash } from 'node:crypto';
import { closeSync, constants, fstatSync, lstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import type { FileMark } from './manifest.js';
import { BundleFault } from './fault.js';

const CHUNK = 1024 * 1024;
/** Longest line: an entry holds at most what a frame can bring, written twice at the worst. */
const MAX_LINE = 64 * 1024 * 1024;
const FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/**
 * Reads a small file of a bundle. Links, pipes and devices are not followed or waited for.
 *
 * @throws BundleFault; errors of the file system where it cannot be read.
 */
export function readBundleFile(folder: string, name: string, maxBytes: number, mark?: FileMark): string {
  const { fd, size } = open(folder, name, mark);
  try {
    if (size > maxBytes) throw new BundleFault('file', `\`${name}\` is larger than ${maxBytes} bytes`);
    const bytes = Buffer.alloc(size);
    let at = 0;
    for (let read = -1; at < size && read !== 0; at += read) read = readSync(fd, bytes, at, size - at, at);
    const whole = bytes.subarray(0, at);
    if (mark !== undefined) assertHash(name, createHash('sha256').update(whole).digest('hex'), mark);
    return textOf(whole, name);
  } finally {
    closeSync(fd);
  }
}

/** A line of a file, and its number from 1. */
export interface BundleLine {
  readonly text: string;
  readonly number: number;
}

/**
 * Reads a file of a bundle line by line, in a bounded memory, and holds it against its hash when it comes to
 * the end.
 *
 * @throws BundleFault; errors of the file system where it cannot be read.
 */
export function* bundleLines(folder: string, name: string, mark: FileMark): Generator<BundleLine, undefined> {
  const { fd, size } = open(folder, name, mark);
  const hash = createHash('sha256');
  const chunk = Buffer.alloc(Math.min(CHUNK, Math.max(1, size)));
  let rest: Buffer[] = [];
  let waiting = 0;
  let number = 0;
  try {
    for (let left = size; left > 0;) {
      const read = readSync(fd, chunk, 0, Math.min(chunk.length, left), null);
      if (read === 0) break;
      left -= read;
      const bytes = Buffer.from(chunk.subarray(0, read));
      hash.update(bytes);
      let from = 0;
      for (let end = bytes.indexOf(0x0a); end !== -1; end = bytes.indexOf(0x0a, from)) {
        number += 1;
        const line = Buffer.concat([...rest, bytes.subarray(from, end)]);
        rest = [];
        waiting = 0;
        from = end + 1;
        yield { text: textOf(line, name), number };
      }
      rest.push(bytes.subarray(from));
      waiting += bytes.length - from;
      if (waiting > MAX_LINE)
        throw new BundleFault('file', `\`${name}\` has a line that is too long`, number + 1);
    }
    if (waiting > 0)
      throw new BundleFault('file', `the last line of \`${name}\` is not complete`, number + 1);
    assertHash(name, hash.digest('hex'), mark);
    return undefined;
  } finally {
    closeSync(fd);
  }
}

function open(folder: string, name: string, mark: FileMark | undefined): { fd: number; size: number } {
  const path = join(folder, name);
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) throw new BundleFault('file', `\`${name}\` is missing`);
  if (!stats.isFile()) throw new BundleFault('file', `\`${name}\` is not a file`);
  const fd = openSync(path, FLAGS);
  const { size } = fstatSync(fd);
  if (!fstatSync(fd).isFile() || (mark !== undefined && size !== mark.bytes)) {
    closeSync(fd);
    throw new BundleFault('file', `\`${name}\` does not have the size that the manifest names`);
  }
  return { fd, size };
}

function assertHash(name: string, found: string, mark: FileMark): void {
  if (found !== mark.sha256)
    throw new BundleFault('file', `\`${name}\` is not the file that the manifest names`);
}

function textOf(bytes: Uint8Array, name: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    if (cause instanceof TypeError) throw new BundleFault('file', `\`${name}\` is not UTF-8`);
    throw cause;
  }
}
