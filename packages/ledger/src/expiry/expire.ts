import type { LedgerFiles } from '../read/files.js';
import type { OneFile } from '../read/one-file.js';
import type { MissingSegments } from '../read/places.js';
import type { CommitQueue } from '../writer/commit-queue.js';
import { holdsUpExpiry } from './held-up.js';
import { planExpiry, type ExpiryTerms } from './plan.js';
import { expiryData, type ExpiryRange } from './record.js';
import { newestExpiry } from './stored.js';

/** What became of the previews that were to expire. */
export interface ExpiryReport {
  /** What expired now; null where nothing was old enough. */
  readonly expired: ExpiryRange | null;
  /** Previews that are gone, those that had expired before included. */
  readonly deleted: number;
  /** The closed file that none expires behind, because it is not there; null where none is missing on the way. */
  readonly heldUpBy: MissingSegments | null;
  /** True once nothing of them stands in the ledger's files any more. */
  readonly settled: boolean;
}

/**
 * Lets previews expire: first the entry that says so, and once that is durable the previews, in small steps between the
 * commits of others. The ledger may go on in another file at any of the waits. Missing previews without an entry would be
 * tampering; expired ones that are still there are not.
 */
export async function expirePreviews(
  files: LedgerFiles<OneFile>,
  queue: CommitQueue,
  terms: ExpiryTerms,
): Promise<ExpiryReport> {
  const range = await planExpiry(files, terms);
  if (range !== undefined) {
    const { nowMs: ts } = terms;
    await queue.append({
      entries: [{ type: 'previews_expired', ts, runId: null, data: expiryData(range) }],
    });
  }
  let deleted = 0;
  const expired = range ?? null;
  const heldUpBy = holdsUpExpiry(files.places.missing, newestExpiry(files)) ?? null;
  if (range === undefined && !holdExpired(files)) return { expired, deleted, heldUpBy, settled: true };
  for (;;) {
    if (isAborted(terms.signal)) return { expired, deleted, heldUpBy, settled: false };
    const step = await queue.purge();
    deleted += step.deleted;
    if (!step.more) return { expired, deleted, heldUpBy, settled: step.settled };
  }
}

function isAborted(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true;
}

/** Something that expired is still there: an earlier purge was cut off. */
function holdExpired(files: LedgerFiles<OneFile>): boolean {
  const upTo = newestExpiry(files);
  for (const { firstPreview: first } of files.newestFirst(upTo))
    if (first !== null && first <= upTo) return true;
  return false;
}
