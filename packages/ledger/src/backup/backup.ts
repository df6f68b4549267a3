import { nextTurn, SublError } from '@subluminal/core-types';
import type { Database } from 'better-sqlite3';
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { syncFile } from '../files/sync-file.js';
import { syncFolder } from '../files/sync-folder.js';
import { loadGenesis } from '../genesis/load.js';
import { selectHead } from '../head/row.js';
import { openReadOnly } from '../schema/connection.js';
import { openClosed, openPresent, type OpenFile } from '../read/open-file.js';
import { findPlaces } from '../read/places.js';
import { hashFile, MANIFEST, renderManifest, type Manifest } from './manifest.js';
import { openDatabase } from '../sqlite/open.js';

/** The ledger to back up, and where to. */
export interface BackupOptions {
  readonly ledger: string;
  /** A folder that does not exist yet. */
  readonly target: string;
  readonly nowMs: number;
  readonly version: string;
  readonly onProgress?: (pages: number, total: number) => void;
  /** Ends it between two steps: what was written is removed, and the reason thrown. */
  readonly signal?: AbortSignal;
}

/** The closed files that were copied. */
interface Closed {
  readonly names: readonly string[];
  readonly missing: Manifest['missing'];
}

/** Stands between the name of a backup and a number, in the name under which the backup grows. */
const DRAFT = '.new-';

/** Pages that are copied at once: some megabytes. */
const STEP = 2048;

/**
 * Writes a backup: the ledger as it stands at one moment, the closed files that belong to it, its genesis
 * fingerprint, its signed head, and a manifest, which says what entries of older files were not there to be
 * copied. Works while a gateway writes: what is copied is one snapshot, read through SQLite, never the file
 * beside it. The folder is complete or not there; folder 0700, files 0600.
 *
 * @throws SublError `usage` where the target exists, `ledger_missing`, `ledger_corrupt`, `ledger_unsafe`.
 */
export async function backupLedger(options: BackupOptions): Promise<Manifest> {
  const { target } = options;
  if (existsSync(target)) {
    throw new SublError('usage', `\`${target}\` exists`, { help: 'name a folder that does not exist yet' });
  }
  const draft = `${target}${DRAFT}${randomBytes(6).toString('hex')}`;
  mkdirSync(draft, { mode: 0o700 });
  try {
    const manifest = await fill(options, draft);
    // A rename onto a folder that appeared meanwhile fails, unless that is empty.
    renameSync(draft, target);
    syncFolder(dirname(target));
    return manifest;
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    throw error;
  }
}

/**
 * Backups to that place that grow just now, or were cut off before they could be removed; previews are in
 * them.
 */
export function unfinishedBackups(target: string): readonly string[] {
  const folder = dirname(target);
  const start = `${basename(target)}${DRAFT}`;
  return namesIn(folder)
    .filter((name) => name.startsWith(start) && /^[0-9a-f]{12}$/.test(name.slice(start.length)))
    .map((name) => join(folder, name));
}

/** None where the folder may be written and not listed: a backup can be made there all the same. */
function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (Reflect.get(Object(error), 'code') === 'EACCES') return [];
    throw error;
  }
}

async function fill(options: BackupOptions, draft: string): Promise<Manifest> {
  const copy = join(draft, 'ledger.db');
  // Open all the time: so the ledger does not go on in another file before both are copied.
  const source = openPresent(options.ledger);
  let closed: Closed;
  try {
    // The closed files first: what expires meanwhile is still in the copies, and never the other way round.
    closed = await copyClosed(options, source, draft);
    await copyLedger(options, source.db, copy);
  } finally {
    source.db.close();
  }
  const { facts, note } = look(copy);
  writeFileSync(join(draft, 'genesis'), `${facts.genesis}\n`, { mode: 0o600 });
  writeFileSync(join(draft, 'checkpoint'), note, { mode: 0o600 });
  const names = ['ledger.db', 'genesis', 'checkpoint', ...closed.names];
  const files: Record<string, Manifest['files'][string]> = {};
  for (const name of names) {
    const path = join(draft, name);
    syncFile(path);
    files[name] = { bytes: statSync(path).size, sha256: hashFile(path) };
    await turn(options.signal);
  }
  if (closed.names.length > 0) syncFolder(join(draft, 'segments'));
  const { nowMs: createdMs, version } = options;
  const manifest: Manifest = { createdMs, version, ...facts, files, missing: closed.missing };
  writeFileSync(join(draft, MANIFEST), renderManifest(manifest), { mode: 0o600 });
  syncFile(join(draft, MANIFEST));
  return manifest;
}

/** One snapshot, held open: pages that a gateway writes meanwhile do not make the copy begin again. */
async function copyLedger(options: BackupOptions, source: Database, copy: string): Promise<void> {
  if (!source.inTransaction) {
    source.exec('BEGIN');
    source.prepare('SELECT count(*) FROM genesis').get();
  }
  await copyFile(source, copy, options);
  // A file that says "write-ahead log" can be read only where a log can be made beside it.
  const db = openDatabase(copy, { fileMustExist: true });
  try {
    db.pragma('journal_mode=DELETE');
  } finally {
    db.close();
  }
}

/** Read through SQLite: previews may be deleted in a closed file just now. */
async function copyClosed(
  { ledger, signal }: BackupOptions,
  source: OpenFile,
  draft: string,
): Promise<Closed> {
  const { chain, beyond, missing } = findPlaces(ledger, source.base);
  const places = [...chain, ...beyond].toReversed();
  if (places.length > 0) mkdirSync(join(draft, 'segments'), { mode: 0o700 });
  const names: string[] = [];
  for (const place of places) {
    // A link could lead to a key, or away from what stays.
    if (!lstatSync(place.path).isFile())
      throw new SublError('ledger_unsafe', `\`${place.path}\` is no segment of a ledger`, {
        help: 'move it away: the folder is for closed segments alone',
      });
    const name = `segments/${basename(place.path)}`;
    const { db } = openClosed(place, source.genesis);
    try {
      await copyFile(db, join(draft, name), signal === undefined ? {} : { signal });
    } finally {
      db.close();
    }
    names.push(name);
  }
  return { names, missing: missing.map(({ first, last }) => ({ first, last })) };
}

async function copyFile(
  source: Database,
  copy: string,
  { onProgress, signal }: Pick<BackupOptions, 'onProgress' | 'signal'>,
): Promise<void> {
  closeSync(openSync(copy, 'wx', 0o600));
  await source.backup(copy, {
    progress: ({ totalPages, remainingPages }) => {
      onProgress?.(totalPages - remainingPages, totalPages);
      signal?.throwIfAborted();
      return STEP;
    },
  });
}

/** Lets a signal in. */
async function turn(signal: AbortSignal | undefined): Promise<void> {
  await nextTurn();
  signal?.throwIfAborted();
}

function look(copy: string): { facts: Pick<Manifest, 'ledgerId' | 'genesis' | 'entries'>; note: string } {
  const db = openReadOnly(copy);
  try {
    const genesis = loadGenesis(db, copy);
    const entries = db.prepare<[], number>('SELECT coalesce(max(seq),0) FROM entry').pluck().get() ?? 0;
    const { ledgerId, fingerprint } = genesis;
    return { facts: { ledgerId, genesis: fingerprint, entries }, note: selectHead(db)?.note ?? '' };
  } finally {
    db.close();
  }
}
