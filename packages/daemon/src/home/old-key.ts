import { createPublicKey } from 'node:crypto';
import { existsSync, linkSync, readFileSync, unlinkSync } from 'node:fs';
import { dirname } from 'node:path';
import type { HomePaths } from '@subluminal/ipc';
import { openLedgerReader } from '@subluminal/ledger';
import { loadSigningKey } from './signing-key.js';
import { syncFolder } from '@subluminal/gateway';

/**
 * A home whose ledger is of layout 1 has its log key in `keys/seal`; from layout 2 on that name is the evolving seal
 * key's. The key moves only where it is the one of the genesis record: a seal key never takes the place of a lost log key.
 * Cut off between link and unlink, the next start finds both names and goes on. Where two keys stand the ledger is not even
 * looked at: before its writer has opened it, a change that a crash cut off may keep everybody else from reading it.
 */
export function moveOldKey(paths: HomePaths): void {
  if (!existsSync(paths.sealKey) || areTwo(paths)) return;
  const reader = openLedgerReader(paths.ledgerDb);
  reader.close();
  const { layout, publicKey } = reader.genesis;
  const isLogKey = (path: string): boolean =>
    createPublicKey(loadSigningKey(path, { create: false })).equals(publicKey);
  if (layout !== 1 || !isLogKey(paths.sealKey)) return;
  if (!existsSync(paths.logKey)) linkSync(paths.sealKey, paths.logKey);
  if (!isLogKey(paths.logKey)) return;
  syncFolder(dirname(paths.logKey));
  unlinkSync(paths.sealKey);
  syncFolder(dirname(paths.sealKey));
}

function areTwo({ sealKey, logKey }: HomePaths): boolean {
  return existsSync(logKey) && !readFileSync(sealKey).equals(readFileSync(logKey));
}
