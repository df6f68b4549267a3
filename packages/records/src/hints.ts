import { objectAt, textAt, type JsonObject } from '@subluminal/core-types';
import type { LedgerReader, LedgerRow, Page } from '@subluminal/ledger';
import { recordOf, type CallRecord } from './record.js';

/** A hint that was given, with the call that it was given for. */
export interface HintRecord {
  /** The `hint_issued` entry. */
  readonly row: LedgerRow;
  /** Null where the call's entries stand in a file that is not there. */
  readonly call: CallRecord | null;
  /** The newest `hint_promoted` entry that names it; null where it was not promoted. */
  readonly promoted: LedgerRow | null;
}

const PAGE = 500;

/** Hints, newest first, of one run where one is given, and where the next page starts; null at the end. */
export function hints(
  reader: LedgerReader,
  runId: string | undefined,
  limit: number,
  cursor: number | null,
): { readonly hints: readonly HintRecord[]; readonly next: number | null } {
  const found: HintRecord[] = [];
  let at = cursor;
  do {
    const page: Page<LedgerRow> = reader.byType('hint_issued', { limit: PAGE, cursor: at });
    for (const row of page.rows) {
      if (runId !== undefined && row.runId !== runId) continue;
      if (found.length === limit) return { hints: found, next: found.at(-1)?.row.seq ?? null };
      found.push(hintOf(reader, row));
    }
    at = page.next;
  } while (at !== null);
  return { hints: found, next: null };
}

/** The hint of a call, or undefined where it got none. */
export function hintOfCall(reader: LedgerReader, record: CallRecord): HintRecord | undefined {
  const { runId, data } = record.first;
  const callId = textAt(data, 'call', 'call_id');
  const row = runId === null || callId === '' ? undefined : reader.issuedHint(runId, callId);
  return row === undefined ? undefined : { row, call: record, promoted: promotionOf(reader, row) };
}

/** The hint for programs; the names are documented in docs/cli.md. */
export function hintJson({ row, call, promoted }: HintRecord): JsonObject {
  const [server, tool] = Array.isArray(row.tool) ? row.tool : ['', ''];
  const decision = objectAt(call?.decision?.data ?? null, 'decision');
  return {
    call_id: callIdOf(row),
    run_id: row.runId,
    seq: row.seq,
    ts: new Date(row.ts).toISOString(),
    server_name: server,
    tool_name: tool,
    rule_id: textAt(decision, 'rule_id') || null,
    reason_code: textAt(decision, 'explain', 'reason_code') || null,
    hint: objectAt(row.data, 'hint'),
    promoted:
      promoted === null
        ? null
        : { seq: promoted.seq, ts: new Date(promoted.ts).toISOString(), ...promoted.data },
  };
}

/** The call that a `hint_issued` or `hint_promoted` entry speaks of. */
export function callIdOf(row: Pick<LedgerRow, 'data'>): string {
  return textAt(row.data, 'call', 'call_id') || textAt(row.data, 'call_id');
}

function hintOf(reader: LedgerReader, row: LedgerRow): HintRecord {
  return { row, call: callOf(reader, row), promoted: promotionOf(reader, row) };
}

/**
 * The call of an entry that stands with it: start, decision, hint and question of a refused call are entries
 * of one commit, one behind the other.
 */
export function callOf(reader: LedgerReader, row: LedgerRow): CallRecord | null {
  const callId = callIdOf(row);
  for (let seq = row.seq - 1; seq >= Math.max(1, row.seq - NEAR) && reader.holds(seq); seq -= 1) {
    const entry = reader.entry(seq);
    if (entry?.type !== 'tool_call_start' || entry.runId !== row.runId) continue;
    if (callIdOf(entry) === callId) return recordOf(reader, entry);
  }
  const start = reader.call(callId)?.start;
  return start === undefined || start.runId !== row.runId ? null : recordOf(reader, start);
}

/** How far before its hint the start of a call is looked for before the whole ledger is. */
const NEAR = 8;

/** Promotions are rare: they are the operator's. */
function promotionOf(reader: LedgerReader, hint: LedgerRow): LedgerRow | null {
  const callId = callIdOf(hint);
  let cursor: number | null = null;
  do {
    const page: Page<LedgerRow> = reader.byType('hint_promoted', { limit: PAGE, cursor });
    const found = page.rows.find((row) => row.runId === hint.runId && callIdOf(row) === callId);
    if (found !== undefined) return found;
    cursor = page.next !== null && page.next > hint.seq ? page.next : null;
  } while (cursor !== null);
  return null;
}
