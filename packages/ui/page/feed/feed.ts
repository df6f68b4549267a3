import { batch, signal } from '@preact/signals';
import { API, type At, type RecordsPage, type Row, type State } from '../../src/protocol/index.js';
import { Refused, type Api } from '../wire/api.js';
import type { Connect, Connection } from '../wire/socket.js';
import { Rows } from './rows.js';

/** A change of the rows that a list has to know of beyond painting them again. */
export interface Shift {
  /** Rows that were put before (positive) or dropped at (negative) the beginning. */
  readonly by: number;
  /** Counts shifts. */
  readonly n: number;
}

/** The parts of a feed. */
export interface FeedParts {
  readonly api: Api;
  /** Opens the stream. */
  readonly connect: Connect;
  readonly now: () => number;
  readonly random: () => number;
  readonly dead: () => void;
}

const PAGE = 500;
/** Rows that are kept while a page is under way to the window; with more, the page after it is read. */
const MOST_MEANWHILE = 5000;

/**
 * The stream of records under a filter, and the window of it that is held: new ones at its end for as long as
 * it reaches the head, older and newer ones by range.
 */
export class Feed {
  readonly rows = new Rows();
  /** Grows with each change of the rows. */
  readonly version = signal(0);
  readonly shift = signal<Shift>({ by: 0, n: 0 });
  readonly state = signal<State | null>(null);
  readonly lostSince = signal<number | null>(null);
  readonly ledger = signal<string | null>(null);
  /** The ledger of this page has gone, and another one answers. */
  readonly isOther = signal(false);
  readonly filter = signal('');
  readonly badFilter = signal<{ readonly message: string; readonly at: number } | null>(null);
  /** The rows reach the head: what comes is put at their end. */
  readonly isLive = signal(true);
  readonly isLoading = signal(false);
  /** A reading that failed, in words. */
  readonly problem = signal<Refused | null>(null);
  /** Came since the person looked away from the end. */
  readonly unseen = signal({ rows: 0, refused: 0 });
  readonly follows = signal(true);
  /** No older records are there. */
  readonly isWhole = signal(false);
  readonly #parts: FeedParts;
  #connection: Connection | null = null;
  #older: number | null = null;
  #newer: number | null = null;
  /** Rows that came while the page after the last row was read; null where none is read. */
  #meanwhile: Row[] | null = null;
  /** Some of what came meanwhile is not kept. */
  #isMissed = false;
  /** Counts openings: what an earlier connection brings is thrown away. */
  #opened = 0;
  /** Counts windows: an answer for an earlier one is thrown away. */
  #window = 0;

  constructor(parts: FeedParts) {
    this.#parts = parts;
  }

  /** Begins anew under a filter: the newest records, and then what comes. */
  open(filter: string): void {
    this.#opened += 1;
    this.#connection?.close();
    this.filter.value = filter;
    this.badFilter.value = null;
    this.#clear(true);
    this.#connection = this.#connect(filter, this.#opened);
  }

  close(): void {
    this.#opened += 1;
    this.#connection?.close();
  }

  /** Reads the page before the first row. */
  async readOlder(): Promise<void> {
    if (this.isLoading.value || this.isWhole.value || this.#older === null) return;
    await this.#read({ before: this.#older }, (page) => {
      this.#older = page.next;
      this.isWhole.value = page.next === null;
      const { added, dropped } = this.rows.take(page.rows, 'newest');
      // The newest rows gave way, and the window ends before the head.
      if (dropped > 0) {
        this.isLive.value = false;
        this.#newer = this.rows.all.at(-1)?.seq ?? null;
      }
      this.#shiftBy(added);
    });
  }

  /** Reads the page after the last row, where the rows do not reach the head. */
  async readNewer(): Promise<void> {
    if (this.isLoading.value || this.isLive.value || this.#newer === null) return;
    const meanwhile: Row[] = [];
    this.#meanwhile = meanwhile;
    this.#isMissed = false;
    let isShort = false;
    await this.#read({ after: this.#newer }, (page) => {
      this.#newer = page.next ?? page.rows.at(-1)?.seq ?? this.#newer;
      const isLast = page.next === null && !page.partial;
      const reaches = isLast && !this.#isMissed;
      isShort = isLast && this.#isMissed;
      // The page ends at the head of its moment: what came since then belongs behind it.
      this.#dropped(this.rows.take(reaches ? [...page.rows, ...meanwhile] : page.rows).dropped);
      if (reaches) this.isLive.value = true;
    });
    if (this.#meanwhile !== meanwhile) return;
    this.#meanwhile = null;
    if (isShort) await this.readNewer();
  }

  /** Goes to the records at a time. Resolves to the entry there, or null behind the last one. */
  async goTo(ts: number): Promise<number | null> {
    const { seq } = await this.#parts.api.get<At>(API.at, { ts: Math.round(ts) });
    if (seq === null) return null;
    await this.goToEntry(seq);
    return seq;
  }

  /** Has the records around an entry in the window. */
  async goToEntry(seq: number): Promise<void> {
    this.follows.value = false;
    const rows = this.rows.all;
    const [first, last] = [rows[0]?.seq ?? 0, rows.at(-1)?.seq ?? 0];
    if (rows.length > 0 && seq >= first && (seq <= last || this.isLive.value)) return;
    this.#clear(false);
    await this.#read({ before: seq }, (page) => {
      this.#older = page.next;
      this.isWhole.value = page.next === null;
      this.rows.take(page.rows);
    });
    this.#newer = seq - 1;
    await this.readNewer();
  }

  /** Goes to the newest records, and follows what comes. */
  toHead(): void {
    this.follows.value = true;
    this.unseen.value = { rows: 0, refused: 0 };
    if (!this.isLive.value) this.open(this.filter.value);
  }

  #clear(live: boolean): void {
    this.#window += 1;
    batch(() => {
      this.rows.clear();
      // A connection reads the newest rows once it stands; a jump reads at once.
      this.isLoading.value = live;
      this.isLive.value = live;
      this.isWhole.value = false;
      this.follows.value = live;
      this.unseen.value = { rows: 0, refused: 0 };
      this.#older = null;
      this.#newer = null;
      this.version.value += 1;
    });
  }

  #connect(filter: string, opened: number): Connection {
    const { api, connect, now, random, dead } = this.#parts;
    let hasBegun = false;
    return connect(
      { token: api.token, filter, from: null, now, random },
      {
        welcome: (ledger, head) => {
          if (this.ledger.value !== null && this.ledger.value !== ledger) this.isOther.value = true;
          this.ledger.value = ledger;
          if (hasBegun) return;
          hasBegun = true;
          void this.#readNewest(head, opened);
        },
        rows: (rows, left) => {
          if (opened !== this.#opened) return;
          // A row that somebody reads stays in its place, and says how it stands now.
          this.rows.refresh(left);
          this.#arrived(rows);
        },
        skipped: (from) => {
          // A gap that is not sent: the window ends before it, and goes on from there when it is asked for.
          this.#isMissed = true;
          // A window that ended earlier ends there still.
          if (this.isLive.value) this.#newer = from - 1;
          this.isLive.value = false;
          if (this.follows.value) this.toHead();
        },
        state: (state) => {
          this.state.value = state;
        },
        badFilter: (message, at) => {
          this.badFilter.value = { message, at };
        },
        lost: (since) => {
          this.lostSince.value = since;
        },
        dead,
      },
    );
  }

  #arrived(rows: readonly Row[]): void {
    if (this.#meanwhile !== null) {
      if (this.#meanwhile.length + rows.length > MOST_MEANWHILE) this.#isMissed = true;
      else this.#meanwhile.push(...rows);
    }
    const { length } = this.rows.all;
    // Away from the head only records that are held are brought up to date.
    const newest = this.rows.all.at(-1)?.seq ?? 0;
    const taken = this.rows.take(
      this.isLive.value ? rows : rows.filter(({ seq }) => seq <= newest && length > 0),
    );
    batch(() => {
      if (!this.follows.value) {
        const { unseen } = this;
        const fresh = rows.filter(({ seq }) => seq > newest);
        unseen.value = {
          rows: unseen.value.rows + fresh.length,
          refused: unseen.value.refused + fresh.filter(({ refused }) => refused).length,
        };
      }
      this.#dropped(taken.dropped);
      this.version.value += 1;
    });
  }

  /** So many of the oldest rows are held no more, and are read again where somebody looks there. */
  #dropped(rows: number): void {
    if (rows === 0) return;
    this.#older = this.rows.all[0]?.seq ?? this.#older;
    this.isWhole.value = false;
    this.#shiftBy(-rows);
  }

  async #readNewest(head: number, opened: number): Promise<void> {
    await this.#read({ before: head + 1 }, (page) => {
      if (opened !== this.#opened) return;
      this.#older = page.next;
      this.isWhole.value = page.next === null;
      this.rows.take(page.rows);
    });
  }

  async #read(
    where: { readonly before: number } | { readonly after: number },
    take: (page: RecordsPage) => void,
  ): Promise<void> {
    const window = this.#window;
    this.isLoading.value = true;
    this.problem.value = null;
    try {
      const page = await this.#parts.api.get<RecordsPage>(API.records, {
        f: this.filter.value,
        ...where,
        limit: PAGE,
      });
      if (window !== this.#window) return;
      batch(() => {
        take(page);
        this.version.value += 1;
      });
    } catch (error) {
      if (window === this.#window) this.problem.value = asRefused(error);
    } finally {
      if (window === this.#window) this.isLoading.value = false;
    }
  }

  #shiftBy(by: number): void {
    if (by !== 0) this.shift.value = { by, n: this.shift.value.n + 1 };
  }
}

function asRefused(error: unknown): Refused {
  return error instanceof Refused ? error : new Refused('failed', String(error));
}
