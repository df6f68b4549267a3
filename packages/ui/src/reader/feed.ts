import type { LedgerReader, LedgerRow } from '@subluminal/ledger';
import { type CallRecord, filterSearch, matches, type Search } from '@subluminal/records';
import type { GatewayFrame } from '../protocol/socket.js';
import { MOST_CREDIT, MOST_GAP, MOST_ROWS } from '../protocol/socket.js';
import { placeHere } from './place.js';
import { rowsOf } from './row-of.js';
import { Tail } from './tail.js';

/** How often a page that does not keep up hears of it. */
const BEHIND_MS = 250;

export interface FeedParts {
  readonly reader: LedgerReader;
  readonly send: (frame: GatewayFrame) => void;
  readonly now: () => number;
  /** Hears of the entries from `from` on as they are read. */
  readonly saw: (from: number, rows: readonly LedgerRow[]) => void;
}

/** How a page wants to be told. */
export interface FeedStart {
  readonly filter: string;
  readonly from: number | null;
  readonly credit: number;
}

/**
 * Tells one page of the ledger as it grows: rows in order and without a gap, no more frames than it
 * has given credit for. The ledger is the buffer: nothing is kept for a page that is slow or gone.
 */
export class Feed {
  readonly #parts: FeedParts;
  readonly #tail: Tail;
  readonly #credit: number;
  /** Null: the filter cannot be read, and nothing is told. */
  #search: Search | null = null;
  /** The next entry to look at. */
  #next = 1;
  #head: number;
  #sent = 0;
  #acked = 0;
  #isPaused = false;
  #toldBehindAt = 0;

  constructor(parts: FeedParts, head: number, start: FeedStart) {
    this.#parts = parts;
    this.#head = head;
    this.#tail = new Tail(parts.reader);
    this.#credit = Math.min(MOST_CREDIT, Math.max(1, Math.trunc(start.credit)));
    const { now, reader, send } = parts;
    const read = filterSearch(start.filter, { reader, placeOf: placeHere }, now());
    if (read.ok) this.#search = read.search;
    else send({ t: 'bad_filter', message: read.message, at: read.at });
    this.#moveTo(start.from);
  }

  /** Whether there is something to send now. */
  get isDue(): boolean {
    return (
      this.#search !== null &&
      !this.#isPaused &&
      this.#next <= this.#head &&
      this.#sent - this.#acked < this.#credit
    );
  }

  /** The ledger has grown so far. */
  grown(head: number): void {
    this.#head = Math.max(this.#head, head);
    this.#tellBehind();
  }

  /** The page has taken that frame and all before it. */
  ack(n: number): void {
    if (Number.isSafeInteger(n) && n <= this.#sent) this.#acked = Math.max(this.#acked, n);
  }

  pause(): void {
    this.#isPaused = true;
  }

  resume(from: number | null): void {
    this.#isPaused = false;
    this.#moveTo(from);
  }

  /** Sends one frame. */
  step(): void {
    const search = this.#search;
    if (search === null || !this.isDue) return;
    this.#skipGap();
    const { reader, saw, send } = this.#parts;
    const from = this.#next;
    const { records, rows, upto } = this.#tail.read(from, this.#head, MOST_ROWS);
    saw(from, rows);
    this.#next = upto + 1;
    this.#sent += 1;
    const fits = (record: CallRecord | null): boolean =>
      record !== null && matches(reader, record, search) === 'yes';
    const fitting = new Set(records.filter(fits));
    const left = records.filter((record) => !fitting.has(record) && fits(before(record, from)));
    send({
      t: 'rows',
      n: this.#sent,
      from,
      upto,
      rows: rowsOf(reader, [...fitting]),
      left: rowsOf(reader, left),
    });
    // Without credit nothing follows it, and the page hears of what waits.
    this.#tellBehind();
  }

  #moveTo(from: number | null): void {
    const next = from === null ? this.#head + 1 : Math.max(1, Math.trunc(from));
    if (next !== this.#next) this.#tail.clear();
    // Entries that are not there yet are not skipped.
    this.#next = Math.min(next, this.#head + 1);
  }

  #skipGap(): void {
    if (this.#head - this.#next < MOST_GAP) return;
    const { send } = this.#parts;
    send({ t: 'behind', from: this.#next, upto: this.#head - MOST_ROWS, skipped: true });
    this.#tail.clear();
    this.#next = this.#head - MOST_ROWS + 1;
  }

  #tellBehind(): void {
    if (this.#search === null || this.isDue || this.#next > this.#head) return;
    const { now, send } = this.#parts;
    if (now() - this.#toldBehindAt < BEHIND_MS) return;
    this.#toldBehindAt = now();
    send({ t: 'behind', from: this.#next, upto: this.#head, skipped: false });
  }
}

/** The record as it was before that entry; null if it had not begun. */
function before(record: CallRecord, seq: number): CallRecord | null {
  const { decision, first, last } = record;
  if (first.seq >= seq) return null;
  const earlier = <Entry extends { readonly seq: number }>(entry: Entry | null): Entry | null =>
    entry !== null && entry.seq < seq ? entry : null;
  return { ...record, decision: earlier(decision), last: earlier(last) };
}
