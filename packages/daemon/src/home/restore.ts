import { join } from 'node:path';
import { SublError } from '@subluminal/core-types';
import { configOf } from '../compose/config.js';
import { homePaths } from '@subluminal/ipc';
import { isReason, planRestore, restoreLedger } from '@subluminal/ledger';
import { type Clock, IdentityStore, loadConfig, requireConfig } from '@subluminal/gateway';
import { headsLogPath } from './heads-log.js';
import { prepareHome } from './prepare.js';
import { checkHeadsLog } from './rehearse.js';
import { loadSigningKey } from './signing-key.js';
import { openHomeDatabase } from './database.js';

/** Which backup is put into which home. */
export interface RestoreHomeOptions {
  readonly home: string;
  /** The backup's folder, absolute. */
  readonly backup: string;
  readonly reason: string;
  readonly headsLog: string | undefined;
  readonly clock: Clock;
}

/**
 * Puts a backup in the place of a home's ledger, under the lock that a gateway of this home would hold. Only
 * the ledger and its seal key change: keys, policy, allowlist and approvals stay as they are.
 *
 * @throws SublError `already_running`, `ledger_missing`, `ledger_corrupt`, `key_missing` and those of a
 *   start.
 */
export async function restoreHome(options: RestoreHomeOptions): Promise<void> {
  const { backup, reason, clock } = options;
  if (!isReason(reason)) throw new SublError('usage', 'the reason is too long, or not one line of text');
  const paths = homePaths(options.home);
  prepareHome(paths);
  const configured = options.headsLog ?? requireConfig(loadConfig(configOf(paths))).heads_log;
  checkHeadsLog(configured);
  const db = openHomeDatabase(paths.gatewayDb);
  try {
    const identity = new IdentityStore(db).read();
    if (identity?.fingerprint === undefined || identity.fingerprint === null) {
      throw new SublError('ledger_missing', 'this home never had a ledger', {
        help: 'restore into the home that the backup is of: its keys and gateway.db belong to the ledger',
      });
    }
    const { fingerprint, ledgerId } = identity;
    const headsLog = headsLogPath(paths, configured, ledgerId);
    const privateKey = loadSigningKey(paths.logKey, { create: false });
    const plan = await planRestore({ backup, ledger: paths.ledgerDb, headsLog, fingerprint });
    const nowMs = clock();
    const moment = new Date(nowMs).toISOString().replaceAll(/[:.]/g, '-');
    restoreLedger({
      plan,
      backup,
      ledger: paths.ledgerDb,
      segments: join(paths.home, 'segments'),
      sealKeyPath: paths.sealKey,
      headsLog,
      privateKey,
      aside: join(paths.home, `replaced-${moment}`),
      reason,
      nowMs,
    });
  } finally {
    db.close();
  }
}
