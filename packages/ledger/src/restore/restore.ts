import { SublError } from '@subluminal/core-types';
import { chmodSync, copyFileSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import type { KeyObject } from 'node:crypto';
import { basename, dirname, join } from 'node:path';
import { hashFile, type Manifest } from '../backup/manifest.js';
import { syncFile } from '../files/sync-file.js';
import { syncFolder } from '../files/sync-folder.js';
import { openWriter } from '../schema/connection.js';
import { openStore } from '../store/open-store.js';
import type { RestorePlan } from './plan.js';

/** Where a planned restore takes place. */
export interface RestoreOptions {
  readonly plan: RestorePlan;
  readonly backup: string;
  readonly ledger: string;
  readonly segments: string;
  readonly sealKeyPath: string;
  readonly headsLog: string | undefined;
  /** The log key. */
  readonly privateKey: KeyObject;
  /** A folder that does not exist yet, on the same file system: what is there now is kept in it. */
  readonly aside: string;
  readonly reason: string;
  readonly nowMs: number;
}

/**
 * Puts a backup in the place of the ledger. Its files are copied beside it and checked first. What is there
 * is moved aside, never deleted: ledger, its log, segments and seal key. Then the copies take their places,
 * heads.log gets the line that lets its sizes fall, and the ledger the entry that says so for ever. Only for
 * whoever holds the home's lock. Cut off anywhere, the ledger does not open until it is restored again.
 *
 * @throws SublError `ledger_corrupt`, `ledger_unsafe`, `not_available`.
 */
export function restoreLedger(options: RestoreOptions): void {
  const { plan, backup, ledger, segments, sealKeyPath, aside, nowMs } = options;
  const { knownSize, knownRoot, manifest } = plan;
  const staged = `${ledger}.new-${process.pid}`;
  stage(backup, manifest, staged);
  mkdirSync(aside, { mode: 0o700 });
  const present = ['', '-wal', '-shm', '-journal'].map((end) => ledger + end);
  for (const path of [...present, segments, sealKeyPath, `${sealKeyPath}.next`]) {
    if (existsSync(path)) renameSync(path, join(aside, basename(path)));
  }
  syncFolder(aside);
  syncFolder(dirname(ledger));
  syncFolder(dirname(sealKeyPath));
  if (existsSync(join(staged, 'segments'))) renameSync(join(staged, 'segments'), segments);
  renameSync(join(staged, 'ledger.db'), ledger);
  syncFolder(dirname(segments));
  syncFolder(dirname(ledger));
  rmSync(staged, { recursive: true });
  const { store } = openStore({
    path: ledger,
    privateKey: options.privateKey,
    sealKeyPath,
    headsLog: options.headsLog,
    durability: 'fsync',
    nowMs,
    openDatabase: openWriter,
    restored: { knownSize, knownRoot, reason: options.reason },
  });
  try {
    store.flushHead(nowMs, 'shutdown');
  } finally {
    store.close();
  }
}

/**
 * Copies what is to be put in place, and holds the copies against the manifest: the backup may have changed
 * since.
 */
function stage(backup: string, { files }: Manifest, staged: string): void {
  rmSync(staged, { recursive: true, force: true });
  mkdirSync(staged, { mode: 0o700 });
  try {
    for (const [name, { sha256 }] of Object.entries(files)) {
      if (name !== 'ledger.db' && !name.startsWith('segments/')) continue;
      const copy = join(staged, name);
      mkdirSync(dirname(copy), { recursive: true, mode: 0o700 });
      copyFileSync(join(backup, name), copy);
      chmodSync(copy, 0o600);
      syncFile(copy);
      if (hashFile(copy) === sha256) continue;
      throw new SublError('ledger_corrupt', `\`${join(backup, name)}\` changed while it was restored`, {
        help: 'copy the backup to where nobody else can write, and restore that',
      });
    }
  } catch (error) {
    rmSync(staged, { recursive: true });
    throw error;
  }
}
