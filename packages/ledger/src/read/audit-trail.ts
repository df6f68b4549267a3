import type { AuditEntry } from '@subluminal/core-types';
import { verifyLedger, type VerifyOptions } from '../verify/verify.js';
import type { VerifyReport } from '../verify/report.js';
import type { LedgerReader } from './reader.js';
import type { LedgerRow } from './row.js';

/** The queries of the audit trail, over a ledger. There is no way to write here. */
export class AuditTrail {
  readonly #reader: LedgerReader;
  readonly #path: string;

  constructor(reader: LedgerReader, path: string) {
    this.#reader = reader;
    this.#path = path;
  }

  getByRequestId(id: string): LedgerRow[] {
    return this.#reader.byRequest(id);
  }

  /** Oldest first, at most 1,000; times in epoch milliseconds, both included. */
  getByTimeRange(startMs: number, endMs: number): readonly LedgerRow[] {
    return this.#reader.byTimeRange(startMs, endMs, { order: 'asc', limit: 1000 }).rows;
  }

  /** Newest first, at most 1,000. */
  getByAction(action: string): readonly LedgerRow[] {
    return this.#reader.byAction(action, { limit: 1000 }).rows;
  }

  getRecent(limit: number): readonly LedgerRow[] {
    return this.#reader.recent(limit);
  }

  /**
   * The trail itself, over all files of the ledger, oldest first. It begins behind the ledger entry `after`.
   */
  entries(after = 0): Generator<AuditEntry> {
    return this.#reader.audited(after);
  }

  verifyChainIntegrity(options: VerifyOptions = {}): Promise<VerifyReport> {
    return verifyLedger(this.#path, options);
  }
}
