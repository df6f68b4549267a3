import type { Database } from 'better-sqlite3';
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { closedSegments, segmentsFolder, type ClosedSegment } from '../segments/closed.js';
import { hasEnded } from '../segments/succession.js';
import type { Finding } from './report.js';

const CHUNK = 1 << 20;

/** The files that are not there. */
export interface MissingFiles {
  /** The numbers of the newest gap. */
  readonly from: number;
  readonly to: number;
  /** All that are missing, those of older gaps included. */
  readonly count: number;
  /** The first entry that can be in the newest gap. */
  readonly first: number;
}

/** The closed files right before file `number`, oldest first: down to the first, or to the newest gap. */
export function chainBefore(listed: readonly ClosedSegment[], number: number): ClosedSegment[] {
  const chain: ClosedSegment[] = [];
  const older = new Map(listed.map((file) => [file.number, file]));
  for (let at = number - 1; ; at -= 1) {
    const file = older.get(at);
    if (file === undefined) return chain.toReversed();
    chain.push(file);
  }
}

/** What is not there of the files before file `number`; null where all are. */
export function missingBefore(listed: readonly ClosedSegment[], number: number): MissingFiles | null {
  const to = number - 1 - chainBefore(listed, number).length;
  if (to === 0) return null;
  const below = listed.findLast((file) => file.number < to);
  const there = new Set(listed.map((file) => file.number).filter((one) => one < number)).size;
  return {
    from: (below?.number ?? 0) + 1,
    to,
    count: number - 1 - there,
    first: (below?.last ?? 0) + 1,
  };
}

/**
 * A closed file whose number is taken, or is none that lies before the newest file. The newest itself may
 * stand among them too: where a crash cut off its rotation, or, as `twin`, where that crash's files were
 * copied.
 */
export function misplacedFile(
  newest: { readonly path: string; readonly db: Database },
  number: number,
  listed: readonly ClosedSegment[],
  twin: string | undefined,
): Finding | null {
  const twice = listed.find((file, at) => file.number === listed[at - 1]?.number);
  if (twice !== undefined) return segment(twice, `there are two files of number ${twice.number}`);
  const after = listed.find((file) => file.number >= number);
  if (after === undefined) return null;
  const isNewest =
    after.number === number &&
    hasEnded(newest.db) &&
    (after.path === twin || sameFile(after.path, newest.path));
  return isNewest && listed.at(-1) === after ? null : segment(after, `the newest file has number ${number}`);
}

function segment(file: ClosedSegment, detail: string): Finding {
  return {
    seq: file.first,
    class: 'segment',
    detail: `\`${basename(file.path)}\` does not belong: ${detail}`,
  };
}

/** One file under two names. */
function sameFile(one: string, other: string): boolean {
  const [a, b] = [statSync(one), statSync(other)];
  return a.dev === b.dev && a.ino === b.ino;
}

/** The closed file of that number, where it holds what the newest file holds, byte for byte. */
export function twinOf(path: string, number: number | undefined): string | undefined {
  const found = closedSegments(segmentsFolder(path)).find((file) => file.number === number);
  if (found === undefined) return undefined;
  const [a, b] = [statSync(found.path), statSync(path)];
  return b.isFile() && a.isFile() && a.size === b.size && sameBytes(found.path, path, a.size)
    ? found.path
    : undefined;
}

function sameBytes(one: string, other: string, size: number): boolean {
  const [a, b] = [Buffer.alloc(CHUNK), Buffer.alloc(CHUNK)];
  const left = openSync(one, 'r');
  const right = openSync(other, 'r');
  try {
    for (let at = 0; at < size; at += CHUNK) {
      const read = readSync(left, a, 0, CHUNK, at);
      if (readSync(right, b, 0, CHUNK, at) !== read || !a.equals(b)) return false;
    }
    return true;
  } finally {
    closeSync(left);
    closeSync(right);
  }
}
