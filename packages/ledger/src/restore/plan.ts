import { SublError } from '@subluminal/core-types';
import { join } from 'node:path';
import { checkManifest, type Manifest } from '../backup/manifest.js';
import { readHeadsLog } from '../head/heads-log.js';
import { inspectLedger } from '../read/inspect.js';
import type { RestoreTerms } from '../store/open-store.js';
import { verifyLedger } from '../verify/verify.js';

/** What a restore is about to do. */
export interface RestorePlan extends Omit<RestoreTerms, 'reason'> {
  readonly manifest: Manifest;
  /** Entries of the backup. */
  readonly size: number;
  /** Lowercase hex. */
  readonly root: string;
}

/** What a restore is planned from. */
export interface PlanOptions {
  /** The backup's folder. */
  readonly backup: string;
  /** The ledger that is there now, if any. */
  readonly ledger: string;
  readonly headsLog: string | undefined;
  /** Genesis fingerprint of the ledger that belongs here. */
  readonly fingerprint: string;
  readonly onProgress?: (checked: number, total: number) => void;
}

/**
 * Verifies a backup and finds out what is known beyond it.
 *
 * @throws SublError `ledger_missing` where it is no backup, or one without the file before its newest;
 * `ledger_corrupt` where it does not verify, is of another ledger, or contradicts what heads.log remembers.
 */
export async function planRestore(options: PlanOptions): Promise<RestorePlan> {
  const { backup, headsLog, fingerprint, onProgress } = options;
  const manifest = checkManifest(backup);
  const report = await verifyLedger(join(backup, 'ledger.db'), {
    ...(headsLog === undefined ? {} : { headsLog }),
    ...(onProgress === undefined ? {} : { onProgress }),
    pin: fingerprint,
    backup: true,
  });
  const { entries: size, root, finding } = report;
  if (report.verdict === 'tampered' || report.verdict === 'unchecked' || root === null || size === 0) {
    const why = finding?.detail ?? report.reasons[0] ?? 'it is empty';
    throw new SublError('ledger_corrupt', `the backup \`${backup}\` cannot be restored here: ${why}`, {
      help: 'use another backup of this ledger; `sub audit verify BACKUP/ledger.db` says more',
    });
  }
  // Its writer would not go on without that file, and by then what is here now would have been moved.
  if (report.segments.missing > 0 && report.segments.verified === 1) {
    const last = report.segments.first - 1;
    throw new SublError(
      'ledger_missing',
      `the backup \`${backup}\` is without the segment that ends with entry ${last}, and its ledger does not go on without that`,
      { help: 'use another backup of this ledger: one that was made while that file was in its place' },
    );
  }
  const log = headsLog === undefined ? 'missing' : readHeadsLog(headsLog);
  const remembered = typeof log === 'string' ? undefined : log.known;
  const present = presentSize(options.ledger);
  const knownSize = Math.max(size, remembered?.size ?? 0, present);
  const knownRoot = remembered?.size === knownSize ? remembered.root : null;
  return { manifest, size, root, knownSize, knownRoot };
}

/** By its own word, where it can be read at all: a restore is mostly wanted where it cannot. */
function presentSize(path: string): number {
  try {
    return inspectLedger(path).entries;
  } catch {
    return 0;
  }
}
