import { chmodSync, copyFileSync, existsSync, mkdirSync, renameSync } from 'node:fs';
import type { KeyObject } from 'node:crypto';
import { basename, dirname, join } from 'node:path';
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
 * Puts a backup in the place of the ledger. What is there is moved aside, never deleted: ledger, its log, segments and
 * seal key. Then the backup's files take their places, heads.log gets the line that lets its sizes fall, and the ledger
 * the entry that says so for ever. Only for whoever holds the home's lock. Cut off anywhere, the ledger does not open
 * until it is restored again.
 *
 * @throws SublError `ledger_corrupt`, `ledger_unsafe`, `not_available`.
 */
export function restoreLedger(options: RestoreOptions): void {
  const { plan, backup, ledger, segments, sealKeyPath, aside, nowMs } = options;
  const { knownSize, knownRoot, manifest } = plan;
  mkdirSync(aside, { mode: 0o700 });
  const present = ['', '-wal', '-shm', '-journal'].map((end) => ledger + end);
  for (const path of [...present, segments, sealKeyPath, `${sealKeyPath}.next`]) {
    if (existsSync(path)) renameSync(path, join(aside, basename(path)));
  }
  syncFolder(aside);
  syncFolder(dirname(ledger));
  syncFolder(dirname(sealKeyPath));
  for (const name of Object.keys(manifest.files).filter((file) => file.startsWith('segments/'))) {
    mkdirSync(segments, { recursive: true, mode: 0o700 });
    place(join(backup, name), join(segments, basename(name)));
  }
  place(join(backup, 'ledger.db'), ledger);
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

/** A copy that is whole or not there. */
function place(from: string, to: string): void {
  const draft = `${to}.new-${process.pid}`;
  copyFileSync(from, draft);
  chmodSync(draft, 0o600);
  syncFile(draft);
  renameSync(draft, to);
  syncFolder(dirname(to));
}
