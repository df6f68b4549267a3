import { basename } from 'node:path';
import type { LedgerFiles } from '../read/files.js';
import type { OneFile } from '../read/one-file.js';
import type { MissingSegments } from '../read/places.js';
import type { CommitQueue } from '../writer/commit-queue.js';
import { holdsUpExpiry } from './held-up.js';
import { planExpiry, type ExpiryTerms } from './plan.js';
import { expiryData, type ExpiryRange } from './record.js';
import { survey } from './survey.js';

/** What became of the previews that were to expire. */
export interface ExpiryReport {
  /** What expired now; null where nothing was old enough. */
  readonly expired: ExpiryRange | null;
  /** Previews that are gone, those that had expired before included. */
  readonly deleted: number;
  /**
   * The closed file that none expires behind, because it is not there; null where none is missing on the way.
   */
  readonly heldUpBy: MissingSegments | null;
  /**
   * The names of closed files that cannot be read: what has expired in them stays, as does what is younger
   * behind them.
   */
  readonly unreadable: readonly string[];
  /** True once nothing of them stands in the ledger's files any more. */
  readonly settled: boolean;
}

/**
 * Lets previews expire: first the entry that says so, and once that is durable the previews, in small steps
 * between the commits of others. The ledger may go on in another file at any of the waits. Missing previews
 * without an entry would be tampering; expired ones that are still there are not.
 */
export async function expirePreviews(
  files: LedgerFiles<OneFile>,
  queue: CommitQueue,
  terms: ExpiryTerms,
): Promise<ExpiryReport> {
  const before = survey(files);
  const range = await planExpiry(files, terms, before);
  if (range !== undefined) {
    const { nowMs: ts } = terms;
    await queue.append({
      entries: [{ type: 'previews_expired', ts, runId: null, data: expiryData(range) }],
    });
  }
  const facts = {
    expired: range ?? null,
    heldUpBy: holdsUpExpiry(files.places.missing, range?.to ?? before.upTo) ?? null,
    unreadable: [...before.unreadable].map((path) => basename(path)),
  };
  let deleted = 0;
  const isDone = range === undefined && !before.holdsExpired;
  if (isDone) return { ...facts, deleted, settled: before.unreadable.size === 0 };
  for (;;) {
    if (isAborted(terms.signal)) return { ...facts, deleted, settled: false };
    const step = await queue.purge();
    deleted += step.deleted;
    if (!step.more) return { ...facts, deleted, settled: step.settled };
  }
}

function isAborted(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true;
}
