import type { Database } from 'better-sqlite3';
import type { Genesis } from '../genesis/record.js';
import { claimedSize, readHead, selectHead, type Head } from '../head/row.js';
import { schemaDifference } from '../schema/check.js';
import { newestSeal } from '../seal/stored.js';
import { readBase } from '../segments/base.js';
import { hasEnded } from '../segments/succession.js';
import { openPresent } from './open-file.js';

/** A glance at a ledger. It proves nothing about the entries: see `verifyLedger`. */
export interface LedgerGlance {
  readonly sqliteVersion: string;
  readonly journalMode: string;
  /** The file is to be closed: the next start goes on in another. */
  readonly hasEnded: boolean;
  readonly entries: number;
  /** `ts` of the newest entry; null in an empty ledger. */
  readonly newestTs: number | null;
  /** Entries that the signed head covers; 0 where it does not verify. */
  readonly headSize: number;
  /** A mistake of the schema or of the signed head, or null. */
  readonly mistake: string | null;
}

/**
 * Looks at a ledger's settings, schema and signed head in constant time; works while a gateway writes.
 *
 * @throws SublError `ledger_missing`, `ledger_corrupt`, `ledger_unsafe`.
 */
export function inspectLedger(path: string): LedgerGlance {
  const { db, genesis } = openPresent(path);
  try {
    const head = readStoredHead(db, genesis);
    return {
      sqliteVersion: db.prepare<[], string>('SELECT sqlite_version()').pluck().get() ?? '',
      hasEnded: hasEnded(db),
      journalMode: String(db.pragma('journal_mode', { simple: true })),
      entries: db.prepare<[], number>('SELECT coalesce(max(seq),0) FROM entry').pluck().get() ?? 0,
      newestTs:
        db.prepare<[], number>('SELECT ts FROM entry ORDER BY seq DESC LIMIT 1').pluck().get() ?? null,
      headSize: typeof head === 'string' ? 0 : head.checkpoint.size,
      mistake: schemaDifference(db) ?? (typeof head === 'string' ? head : null),
    };
  } finally {
    db.close();
  }
}

function readStoredHead(db: Database, genesis: Genesis): Head | string {
  const { ledgerId, publicKey: log } = genesis;
  const row = selectHead(db);
  const base = readBase(db);
  const seal =
    base === undefined ? 'it does not say where it begins' : newestSeal(db, genesis, base, claimedSize(row));
  return typeof seal === 'string' ? seal : readHead(row, ledgerId, { log, seal: seal.key });
}
