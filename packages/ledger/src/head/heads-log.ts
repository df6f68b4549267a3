import { isSublError, readBase64, SublError } from '@subluminal/core-types';
import {
  closeSync,
  existsSync,
  fsync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  statSync,
  write,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { syncFolder } from '../files/sync-folder.js';
import type { Checkpoint } from './note.js';

/** A line of heads.log: the ledger had this size and root at `ts` (epoch milliseconds). */
export interface HeadsLine extends Checkpoint {
  readonly ts: number;
  /** The ledger was put back to this size: what was remembered beyond it no longer counts. */
  readonly restored: boolean;
}

/** What stands in a heads.log. */
export interface HeadsLog {
  /** Genesis fingerprint of the first line. */
  readonly fingerprint: string;
  /** What counts: ascending, without what a restore gave up. */
  readonly lines: readonly HeadsLine[];
  /**
   * The newest line, and before a restore that stands last the newest of those it gave up: the most that was
   * known.
   */
  readonly known: HeadsLine | undefined;
  /** Bytes up to the end of the last complete line; a crash may leave part of one behind it. */
  readonly completeBytes: number;
}

const LF = 0x0a;
const LINE = /^(restored )?(0|[1-9][0-9]{0,15}) ([A-Za-z0-9+/]{43}=) ([0-9]{1,16})$/;

/**
 * Reads a heads.log. `missing`: there is none, or nothing complete in it. `broken`: a line is not one, sizes
 * fall without a restore, or it is no file.
 */
export function readHeadsLog(path: string): HeadsLog | 'missing' | 'broken' {
  if (!existsSync(path)) return 'missing';
  // A pipe or device in its place would hold up whoever reads it, without end.
  if (!statSync(path).isFile()) return 'broken';
  const bytes = readFileSync(path);
  const completeBytes = endOfWhole(bytes);
  if (completeBytes === 0) return bytes.length < 65 ? 'missing' : 'broken';
  const [fingerprint = '', ...texts] = bytes.toString('latin1', 0, completeBytes - 1).split('\n');
  if (!/^[0-9a-f]{64}$/.test(fingerprint)) return 'broken';
  const lines: HeadsLine[] = [];
  let known: HeadsLine | undefined;
  for (const text of texts) {
    const line = readLine(text);
    if (line === undefined) return 'broken';
    if (line.restored) {
      // Up to here the ledger is what it was; what came after was declared to be given up.
      while ((lines.at(-1)?.size ?? 0) > line.size || isRestoreOf(lines.at(-1), line)) lines.pop();
    } else if (line.size < (lines.at(-1)?.size ?? 0)) return 'broken';
    known = line.restored && (known?.size ?? 0) > line.size ? known : line;
    lines.push(line);
  }
  return { fingerprint, lines, known, completeBytes };
}

/**
 * Where the last complete line ends. A power cut may have kept the end of a line that was not synced, and not
 * its beginning, where a sector border runs through it: what is missing reads as zeros. No other line is ever
 * in that state, since each is synced before the next is written.
 */
function endOfWhole(bytes: Buffer): number {
  const end = bytes.lastIndexOf(LF) + 1;
  const last = bytes.subarray(0, Math.max(0, end - 1)).lastIndexOf(LF) + 1;
  return last > 0 && bytes.subarray(last, end).includes(0) ? last : end;
}

/** The same restore again: the entry of the earlier one was given up with all that followed. */
function isRestoreOf(before: HeadsLine | undefined, line: HeadsLine): boolean {
  return before !== undefined && before.restored && before.size === line.size;
}

function readLine(text: string): HeadsLine | undefined {
  const [, restored, size, root = '', ts] = LINE.exec(text) ?? [];
  const hash = readBase64(root, 32);
  if (hash === undefined) return undefined;
  return {
    size: Number(size),
    root: hash.toString('hex'),
    ts: Number(ts),
    restored: restored !== undefined,
  };
}

/**
 * The memory of a ledger outside of its home: one line now and then, fsynced, only ever appended. It is what
 * makes a ledger that was put back to an older copy contradict something.
 */
export class HeadsLogWriter {
  readonly #path: string;
  readonly #handle: number;

  private constructor(path: string, handle: number) {
    this.#path = path;
    this.#handle = handle;
  }

  /**
   * Opens for appending; creates the folder (0700) and the file (0600, fingerprint first) where missing, and
   * cuts off what a crash left of an unfinished line.
   *
   * @throws SublError `ledger_unsafe`.
   */
  static open(path: string, fingerprint: string, completeBytes: number): HeadsLogWriter {
    let handle: number | undefined;
    try {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      handle = openSync(path, 'a', 0o600);
      const writer = new HeadsLogWriter(path, handle);
      if (fstatSync(handle).size > completeBytes) ftruncateSync(handle, completeBytes);
      if (completeBytes === 0) {
        writer.#append(`${fingerprint}\n`);
        syncFolder(dirname(path));
      }
      return writer;
    } catch (error) {
      if (handle !== undefined) closeSync(handle);
      throw unwritable(path, error);
    }
  }

  /** Appends one line; it is on the disk when this returns. Throws `ledger_unsafe`. */
  append(line: HeadsLine): void {
    this.#append(textOf(line));
  }

  /** The same without holding up this thread. One at a time, and none of `append` meanwhile. */
  async appendAside(line: HeadsLine): Promise<void> {
    try {
      await writeAside(this.#handle, textOf(line));
    } catch (error) {
      throw unwritable(this.#path, error);
    }
  }

  close(): void {
    closeSync(this.#handle);
  }

  #append(text: string): void {
    try {
      // Part of a line would spoil the next one; whoever opens the log again cuts it off.
      if (writeSync(this.#handle, text) !== text.length) throw partOfLine();
      fsyncSync(this.#handle);
    } catch (error) {
      throw unwritable(this.#path, error);
    }
  }
}

/** Writes and syncs; the file stays open. */
function writeAside(handle: number, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    write(handle, text, (error, taken) => {
      if (error !== null) reject(error);
      else if (taken !== text.length) reject(partOfLine());
      else fsync(handle, (failure) => (failure === null ? resolve() : reject(failure)));
    });
  });
}

function textOf({ size, root, ts, restored }: HeadsLine): string {
  // A clock that is off must not leave a line that no start can read again.
  const time = Number.isSafeInteger(ts) && ts >= 0 ? ts : 0;
  return `${restored ? 'restored ' : ''}${size} ${Buffer.from(root, 'hex').toString('base64')} ${time}\n`;
}

function partOfLine(): Error {
  return new Error('the disk took part of a line only');
}

function unwritable(path: string, cause: unknown): SublError {
  if (isSublError(cause)) return cause;
  const why = cause instanceof Error ? cause.message : String(cause);
  return new SublError('ledger_unsafe', `the heads log \`${path}\` cannot be written: ${why}`, { cause });
}
