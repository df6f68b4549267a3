import { SublError } from '@subluminal/core-types';
import type { LedgerReader } from '@subluminal/ledger';
import {
  type CallRecord,
  filterSearch,
  matches,
  opensRecord,
  recordOf,
  search,
  type Search,
} from '@subluminal/records';
import type { At, RecordsPage } from '../../protocol/rows.js';
import { placeHere } from '../place.js';
import type { Question } from '../questions.js';
import { rowsOf } from '../row-of.js';

/** How long one question may take: others wait behind it. */
const PATIENCE_MS = 400;
const PIECE = 500;

/** Pages of records, in either direction. @throws SublError `usage` for a filter that cannot be read. */
export function recordsPage(
  reader: LedgerReader,
  { after, before, filter, limit }: Extract<Question, { ask: 'records' }>,
  head: number,
  now: () => number,
): RecordsPage {
  const read = filterSearch(filter, { reader, placeOf: placeHere }, now());
  if (!read.ok)
    throw new SublError('usage', `${read.message} (at sign ${read.at + 1})`, { help: 'see docs/ui.md' });
  const until = now() + PATIENCE_MS;
  const isOver = (): boolean => now() > until;
  if (after !== null) return oldestFirst(reader, read.search, { after, limit, head, isOver });
  const found = search(reader, { ...read.search, isOver }, limit, before);
  const partial = found.next !== null && found.records.length < limit;
  const reached = partial ? timeOf(reader, (found.next ?? 1) - 1) : null;
  const { next, unknown } = found;
  return { rows: rowsOf(reader, found.records), next, partial, reached, unknown };
}

function oldestFirst(
  reader: LedgerReader,
  what: Search,
  given: {
    readonly after: number;
    readonly limit: number;
    readonly head: number;
    readonly isOver: () => boolean;
  },
): RecordsPage {
  const { after, head, isOver, limit } = given;
  const records: CallRecord[] = [];
  let unknown = 0;
  let at = after;
  while (at < head && records.length < limit && !isOver()) {
    const page = reader.tailFrom(at + 1, PIECE).rows;
    // A file of it may not be there.
    if (page.length === 0) at = head;
    for (const entry of page) {
      at = entry.seq;
      if (!opensRecord(entry)) continue;
      const record = recordOf(reader, entry);
      const told = matches(reader, record, what);
      if (told === 'yes') records.push(record);
      else if (told === 'unknown') unknown += 1;
      if (records.length === limit) break;
    }
  }
  const partial = at < head && records.length < limit;
  const reached = partial ? timeOf(reader, at) : null;
  return { rows: rowsOf(reader, records), next: at < head ? at : null, partial, reached, unknown };
}

function timeOf(reader: LedgerReader, seq: number): number | null {
  return reader.holds(seq) ? (reader.entry(seq)?.ts ?? null) : null;
}

/** The first entry at a time or later. */
export function entryAt(reader: LedgerReader, ts: number): At {
  const { rows } = reader.byTimeRange(ts, Number.MAX_SAFE_INTEGER, { order: 'asc', limit: 1 });
  return { seq: rows[0]?.seq ?? null };
}
