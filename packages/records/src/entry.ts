import type { JsonObject } from '@subluminal/core-types';
import type { LedgerReader, LedgerRow } from '@subluminal/ledger';

/** Why a preview is there or not. */
export type PreviewState = 'present' | 'dropped:backpressure' | 'dropped:budget' | 'expired' | 'missing';

/** A preview of an entry. */
export interface KeptPreview {
  readonly slot: string;
  readonly text: string | null;
  readonly state: PreviewState;
}

/** The previews of an entry; only the entry, or a later one, may say that one is not there. */
export function previewsOf(reader: LedgerReader, row: LedgerRow): readonly KeptPreview[] {
  return Object.entries(row.blobs).map(([slot, { state }]) => {
    const text = reader.blob(row.seq, slot);
    if (text !== null) return { slot, text, state: 'present' };
    if (state !== 'present') return { slot, text, state };
    return { slot, text, state: row.seq <= reader.expiredUpTo() ? 'expired' : 'missing' };
  });
}

/** An entry with all that it holds, for programs; the names are documented in docs/cli.md. */
export function entryJson(reader: LedgerReader, row: LedgerRow): JsonObject {
  return {
    seq: row.seq,
    leaf: row.leaf,
    ts: new Date(row.ts).toISOString(),
    type: row.type,
    code: row.code,
    run_id: row.runId,
    tool: typeof row.tool === 'string' || row.tool === null ? row.tool : [...row.tool],
    ref: row.ref,
    run_index: row.runIndex,
    request_id: row.requestId,
    data: row.data,
    blobs: previewsOf(reader, row).map((preview) => ({ ...preview })),
  };
}
