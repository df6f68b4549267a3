import { SublError } from '@subluminal/core-types';
import SqliteDatabase from 'better-sqlite3';
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  copyFileSync,
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
import { dirname, join } from 'node:path';
import { syncFile } from '../files/sync-file.js';
import { syncFolder } from '../files/sync-folder.js';
import { selectHead } from '../head/row.js';
import { openReadOnly } from '../schema/connection.js';
import { loadGenesis } from '../store/open-store.js';
import { hashFile, isBackupName, MANIFEST, renderManifest, type Manifest } from './manifest.js';

/** What to back up, and where to. */
export interface BackupOptions {
  readonly ledger: string;
  /** Folder of the closed segments, where there are any. */
  readonly segments: string;
  /** A folder that does not exist yet. */
  readonly target: string;
  readonly nowMs: number;
  readonly version: string;
  readonly onProgress?: (pages: number, total: number) => void;
}

/** Pages that are copied at once: some megabytes. */
const STEP = 2048;

/**
 * Writes a backup: the ledger as it stands at one moment, its closed segments, its genesis fingerprint, its signed
 * head, and a manifest. Works while a gateway writes: what is copied is one snapshot, read through SQLite, never the
 * file beside it. The folder is complete or not there; folder 0700, files 0600.
 *
 * @throws SublError `usage` where the target exists, `ledger_missing`, `ledger_corrupt`, `ledger_unsafe`.
 */
export async function backupLedger(options: BackupOptions): Promise<Manifest> {
  const { target } = options;
  if (existsSync(target)) {
    throw new SublError('usage', `\`${target}\` exists`, { help: 'name a folder that does not exist yet' });
  }
  const draft = `${target}.new-${randomBytes(6).toString('hex')}`;
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

async function fill(options: BackupOptions, draft: string): Promise<Manifest> {
  const copy = join(draft, 'ledger.db');
  await copyLedger(options, copy);
  const { facts, note } = look(copy);
  writeFileSync(join(draft, 'genesis'), `${facts.genesis}\n`, { mode: 0o600 });
  writeFileSync(join(draft, 'checkpoint'), note, { mode: 0o600 });
  const names = ['ledger.db', 'genesis', 'checkpoint', ...copySegments(options.segments, draft)];
  const files = Object.fromEntries(
    names.map((name) => {
      const path = join(draft, name);
      syncFile(path);
      return [name, { bytes: statSync(path).size, sha256: hashFile(path) }];
    }),
  );
  const { nowMs: createdMs, version } = options;
  const manifest: Manifest = { createdMs, version, ...facts, files };
  writeFileSync(join(draft, MANIFEST), renderManifest(manifest), { mode: 0o600 });
  syncFile(join(draft, MANIFEST));
  return manifest;
}

/** One snapshot, held open: pages that a gateway writes meanwhile do not make the copy begin again. */
async function copyLedger({ ledger, onProgress }: BackupOptions, copy: string): Promise<void> {
  closeSync(openSync(copy, 'wx', 0o600));
  const source = openReadOnly(ledger);
  try {
    source.exec('BEGIN');
    source.prepare('SELECT count(*) FROM genesis').get();
    await source.backup(copy, {
      progress: ({ totalPages, remainingPages }) => {
        onProgress?.(totalPages - remainingPages, totalPages);
        return STEP;
      },
    });
  } finally {
    source.close();
  }
  // A file that says "write-ahead log" can be read only where a log can be made beside it.
  const db = new SqliteDatabase(copy, { fileMustExist: true });
  try {
    db.pragma('journal_mode=DELETE');
  } finally {
    db.close();
  }
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

/** Closed segments never change, so a copy of their files is a copy of them. */
function copySegments(segments: string, draft: string): string[] {
  const names = existsSync(segments) ? readdirSync(segments) : [];
  if (names.length === 0) return [];
  mkdirSync(join(draft, 'segments'), { mode: 0o700 });
  return names.map((name) => {
    const [from, listed] = [join(segments, name), `segments/${name}`];
    // A link could lead to a key; and what no manifest can list would make a backup that nobody can restore.
    if (!isBackupName(listed) || !lstatSync(from).isFile()) {
      const help = 'move it away: the folder is for closed segments alone';
      throw new SublError('ledger_unsafe', `\`${from}\` is no segment of a ledger`, { help });
    }
    copyFileSync(from, join(draft, listed));
    return listed;
  });
}
