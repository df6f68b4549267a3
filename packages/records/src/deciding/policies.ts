import { isSublError, parseJson, textAt } from '@subluminal/core-types';
import type { LedgerReader, LedgerRow, Page } from '@subluminal/ledger';
import { BUILTIN_OBSERVE, snapshotFromPlain, type PolicySnapshot } from '@subluminal/policy';

/** A policy that was in force, out of the record; or why it cannot be had. */
export type FoundPolicy =
  | { readonly found: true; readonly snapshot: PolicySnapshot; readonly entry: LedgerRow | null }
  | { readonly found: false; readonly why: string };

const SLOT = 'policy.bundle';
const PAGE = 200;

/** Finds the policy with that hash: the built-in one, or the newest that a `policy_loaded` entry keeps. */
export function policyByHash(reader: LedgerReader, hash: string): FoundPolicy {
  if (hash === BUILTIN_OBSERVE.policy_hash) return { found: true, snapshot: BUILTIN_OBSERVE, entry: null };
  let why = 'no entry of the ledger says that it was loaded';
  let cursor: number | null = null;
  do {
    const page: Page<LedgerRow> = reader.byType('policy_loaded', { limit: PAGE, cursor });
    for (const row of page.rows) {
      if (textAt(row.data, 'policy', 'policy_hash') !== hash) continue;
      const read = readBundle(reader, row, hash);
      if (typeof read !== 'string') return { found: true, snapshot: read, entry: row };
      why = read;
    }
    cursor = page.next;
  } while (cursor !== null);
  return { found: false, why };
}

function readBundle(reader: LedgerReader, row: LedgerRow, hash: string): PolicySnapshot | string {
  const text = Object.hasOwn(row.blobs, SLOT) ? reader.blob(row.seq, SLOT) : undefined;
  if (text === undefined) return `entry ${row.seq}, which says that it was loaded, holds no text of it`;
  if (text === null) return `its text was not kept, or has expired (entry ${row.seq})`;
  try {
    const snapshot = snapshotFromPlain(parseJson(text));
    return snapshot.policy_hash === hash ? snapshot : `its text in entry ${row.seq} has another hash`;
  } catch (error) {
    if (!isSublError(error, 'policy_invalid', 'invalid_json', 'too_deep')) throw error;
    return `its text in entry ${row.seq} cannot be read by this version`;
  }
}
