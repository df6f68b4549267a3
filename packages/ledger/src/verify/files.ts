import { isSublError, SublError } from '@subluminal/core-types';
import type { Database } from 'better-sqlite3';
import { statSync } from 'node:fs';
import { schemaDifference } from '../schema/check.js';
import { openReadOnly } from '../schema/connection.js';
import { closedSegments, segmentsFolder, type ClosedSegment } from '../segments/closed.js';
import { chainBefore, misplacedFile, missingBefore, twinOf, type MissingFiles } from './placement.js';
import type { Finding } from './report.js';
import { SqliteError } from '../sqlite/open.js';

/** A file of the ledger, open and inside of a read transaction. */
export interface OpenFile {
  readonly path: string;
  /** The place that its name gives; null for the newest, whose name says nothing. */
  readonly closed: ClosedSegment | null;
  readonly db: Database;
}

/** Everything that is verified, each file in a snapshot of its own. */
export interface OpenFiles<T> {
  /** Those before the newest, oldest first and without a gap. */
  readonly closed: readonly OpenFile[];
  readonly newest: OpenFile;
  readonly missing: MissingFiles | null;
  /** A contradiction between the files as they lie there. */
  readonly finding: Finding | null;
  /** The result of `beside`. */
  readonly beside: T;
  close(): void;
}

/** Somebody who rotates meanwhile has to write a thousand entries each time; beyond this nobody does. */
const ATTEMPTS = 20;
/** So often a contradiction may be the moment between two steps of a rotation. */
const DOUBTS = 3;

/**
 * Opens a ledger's files such that their snapshots belong together. The newest comes last: previews leave a
 * closed file only after an entry of the newest says so, and from that snapshot on the ledger does not go on
 * in another file. `beside` is called at that moment, and with what takes the snapshot.
 */
export function openFiles<T>(path: string, beside: (take: () => void) => T): OpenFiles<T> {
  let doubts = 0;
  let twin: string | undefined;
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const opened = openOnce(path, beside, twin);
    if (opened === undefined) continue;
    if (opened.finding === null || doubts === DOUBTS) return opened;
    doubts += 1;
    opened.close();
    // With no connection open: to close a file takes every lock on it from the whole process.
    twin ??= twinOf(path, opened.number);
  }
  throw new SublError('failed', `\`${path}\` changes too fast to be read together with its older files`);
}

/**
 * Undefined where the ledger went on in another file meanwhile. `twin`: a file with the content of the
 * newest.
 */
function openOnce<T>(
  path: string,
  beside: (take: () => void) => T,
  twin: string | undefined,
): (OpenFiles<T> & { readonly number: number | undefined }) | undefined {
  const folder = segmentsFolder(path);
  const before = closedSegments(folder);
  const open: OpenFile[] = [];
  const close = (): void => {
    for (const { db } of open) db.close();
  };
  try {
    const unreadable = openClosed(before, open);
    const inode = inodeOf(path);
    const db = openReadOnly(path);
    const newest: OpenFile = { path, closed: null, db };
    open.push(newest);
    db.exec('BEGIN');
    const found = beside(() => takeSnapshot(db));
    const listed = closedSegments(folder);
    if (inode !== inodeOf(path) || names(before) !== names(listed)) {
      close();
      return undefined;
    }
    const number = numberOf(db);
    if (number === undefined)
      return { closed: [], newest, missing: null, finding: null, beside: found, close, number };
    const chain = chainBefore(before, number);
    const closed = open.filter(({ closed: one }) => chain.some((file) => file === one));
    const finding =
      misplacedFile(newest, number, listed, twin) ?? unreadable.find(({ file }) => chain.includes(file));
    const missing = missingBefore(listed, number);
    return { closed, newest, missing, finding: finding ?? null, beside: found, close, number };
  } catch (error) {
    close();
    if (isBusy(error)) return undefined;
    throw error;
  }
}

/** Opens all of them; gives what is wrong with those that are no ledgers. */
function openClosed(
  listed: readonly ClosedSegment[],
  open: OpenFile[],
): (Finding & { file: ClosedSegment })[] {
  return listed.flatMap((file) => {
    try {
      const db = openReadOnly(file.path);
      open.push({ path: file.path, closed: file, db });
      db.exec('BEGIN');
      takeSnapshot(db);
      return [];
    } catch (error) {
      const isNone =
        isSublError(error, 'ledger_missing', 'ledger_corrupt') ||
        (error instanceof SqliteError && /^SQLITE_(NOTADB|CORRUPT)/.test(error.code));
      if (!isNone) throw error;
      return [{ file, seq: file.first, class: 'page', detail: `\`${file.path}\` is no file of a ledger` }];
    }
  });
}

/** Its writer has it for itself while the ledger goes on in another file. */
function isBusy(error: unknown): boolean {
  const cause = isSublError(error, 'ledger_unsafe') ? error.cause : error;
  return cause instanceof SqliteError && cause.code.startsWith('SQLITE_BUSY');
}

function takeSnapshot(db: Database): void {
  db.prepare('SELECT count(*) FROM sqlite_schema').get();
}

/** By its own word; undefined where its tables are none of a ledger, which must not be asked. */
function numberOf(db: Database): number | undefined {
  if (schemaDifference(db) !== null) return undefined;
  // One that is no number, or below 1, is found where its base is looked at.
  return db.prepare<[], number>('SELECT segment FROM base WHERE id = 1').pluck().get() ?? 1;
}

function inodeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.ino;
}

function names(listed: readonly ClosedSegment[]): string {
  return listed.map(({ path }) => path).join('\n');
}
