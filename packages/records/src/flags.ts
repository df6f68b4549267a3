import { numberAt, objectAt, textAt, type JsonObject } from '@subluminal/core-types';
import type { LedgerReader, LedgerRow } from '@subluminal/ledger';
import { opensRecord, recordJson, toolOf, type CallRecord } from './record.js';

/** A request has no more flags than there are kinds, and the end of a connection as many again. */
const MAX_FLAGS = 8;
/** Flags that a search looks at; older ones are left out. */
const MAX_ROWS = 20_000;
const PAGE = 1000;

/**
 * The flags of a record: the entries right before the one that opened it, and, of a connection, right behind
 * its end.
 */
export function flagsOf(reader: LedgerReader, { first, last }: CallRecord): readonly LedgerRow[] {
  const id = textAt(first.data, 'req', 'id');
  const before: LedgerRow[] = [];
  for (let seq = first.seq - 1; seq > 0 && before.length < MAX_FLAGS; seq -= 1) {
    const row = rowAt(reader, seq);
    if (row?.type !== 'anomaly' || row.runId !== first.runId || textAt(row.data, 'req', 'id') !== id) break;
    before.unshift(row);
  }
  const behind: LedgerRow[] = [];
  for (let seq = (last?.seq ?? Number.NaN) + 1; behind.length < MAX_FLAGS; seq += 1) {
    const row = Number.isNaN(seq) ? undefined : rowAt(reader, seq);
    if (row?.type !== 'anomaly' || numberAt(row.data, 'connection') !== first.seq) break;
    behind.push(row);
  }
  return [...before, ...behind];
}

/** The entries that opened the records which have flags, newest first, each once. */
export function flaggedRows(reader: LedgerReader): readonly LedgerRow[] {
  const found = new Map<number, LedgerRow>();
  let cursor: number | null = null;
  for (let left = MAX_ROWS; left > 0; left -= PAGE) {
    const page: ReturnType<LedgerReader['byType']> = reader.byType('anomaly', { limit: PAGE, cursor });
    for (const flag of page.rows) {
      const row = flaggedBy(reader, flag);
      if (row !== undefined) found.set(row.seq, row);
    }
    if (page.next === null) break;
    cursor = page.next;
  }
  return [...found.values()].toSorted((a, b) => b.seq - a.seq);
}

/** A flag for programs; the names are documented in docs/cli.md. */
function flagJson({ seq, data }: LedgerRow): JsonObject {
  return {
    seq,
    kind: textAt(data, 'kind'),
    reaction: textAt(data, 'reaction'),
    summary: textAt(data, 'summary'),
    facts: objectAt(data, 'facts'),
  };
}

/** A record with its flags, for programs. They stand in entries of their own; calls have none. */
export function flaggedJson(reader: LedgerReader, record: CallRecord): JsonObject {
  const json = recordJson(record);
  return toolOf(record) === null ? { ...json, flags: flagsOf(reader, record).map(flagJson) } : json;
}

/** The flags of a run by kind, as its end tells them, the most frequent last: few of a kind say more. */
export function unusualCounts(end: JsonObject): readonly (readonly [string, number])[] {
  return Object.entries(objectAt(end, 'unusual'))
    .flatMap(([kind, count]) => (typeof count === 'number' && count > 0 ? [[kind, count] as const] : []))
    .toSorted(([, a], [, b]) => a - b);
}

function flaggedBy(reader: LedgerReader, flag: LedgerRow): LedgerRow | undefined {
  const connection = numberAt(flag.data, 'connection');
  if (connection !== undefined) return rowAt(reader, connection);
  const id = textAt(flag.data, 'req', 'id');
  for (let seq = flag.seq + 1; seq <= flag.seq + MAX_FLAGS; seq += 1) {
    const row = rowAt(reader, seq);
    if (row === undefined || row.runId !== flag.runId || textAt(row.data, 'req', 'id') !== id)
      return undefined;
    if (opensRecord(row)) return row;
  }
  return undefined;
}

/** Also where the file that would hold it is not there. */
function rowAt(reader: LedgerReader, seq: number): LedgerRow | undefined {
  return reader.holds(seq) ? reader.entry(seq) : undefined;
}
