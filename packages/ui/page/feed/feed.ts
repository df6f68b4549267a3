import { batch, signal } from '@preact/signals';
import { API, type At, type RecordsPage, type Row, type State } from '../../src/protocol/index.js';
import type { Api } from '../wire/api.js';
import type { Connect, Connection } from '../wire/socket.js';
import { Reads } from './reads.js';
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
/** Rows that fill any screen: with fewer nobody can scroll to the end, and a search goes on by itself. */
const ENOUGH = 100;
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
  readonly badFilter = signal<string | null>(null);
  /** The rows reach the head: what comes is put at their end. */
  readonly isLive = signal(true);
  /** The time that a search came back to, epoch ms, if it was longer than one question may take. */
  readonly reached = signal<number | null>(null);
  /** Records that are left out, since it cannot be told any more whether they fit. */
  readonly leftOut = signal(0);
  /** Came since the person looked away from the end. */
  readonly unseen = signal({ rows: 0, refused: 0 });
  readonly follows = signal(true);
  /** No older records are there. */
  readonly isWhole = signal(false);
  readonly #reads = new Reads();
  readonly isLoading = this.#reads.isLoading;
  readonly problem = this.#reads.problem;
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
  /** Somebody ended the search. */
  #isEnded = false;
  /** The time to go to next. */
  #goal: number | null = null;
  #isGoing = false;

  constructor(parts: FeedParts) {
    this.#parts = parts;
  }

  /** Begins anew under a filter: the newest records, and then what comes. */
  open(filter: string): void {
    this.#opened += 1;
    this.#connection?.close();
    this.#goal = null;
    // The filter is told last: nobody takes rows of the one before for its own.
    this.#clear(true);
    this.badFilter.value = null;
    this.filter.value = filter;
    this.#connection = this.#connect(filter, this.#opened);
  }

  close(): void {
    this.#opened += 1;
    this.#reads.begin(false);
    this.#connection?.close();
  }

  /** Ends a search that goes on by itself; `readOlder` goes on. */
  stop(): void {
    this.#isEnded = true;
  }

  /** Reads again what could not be read. */
  retry(): void {
    this.#reads.retry();
  }

  /** Reads the page before the first row, and on until rows enough came. */
  async readOlder(): Promise<void> {
    if (this.isLoading.value || this.isWhole.value || this.#older === null) return;
    await this.#readBack(this.#older, () => this.readOlder());
  }

  /** Reads the page after the last row, where the rows do not reach the head. */
  async readNewer(): Promise<void> {
    if (this.isLoading.value || this.isLive.value || this.#newer === null) return;
    this.#isEnded = false;
    await this.#reads.run(
      async (isStill) => {
        let [came, more] = [0, true];
        while (more && !this.#isEnded) {
          const page = await this.#pageAfter(isStill);
          if (page === null) return;
          came += page.rows.length;
          more = page.partial ? came < ENOUGH : page.next === null && !this.isLive.value;
        }
      },
      () => this.readNewer(),
    );
  }

  /**
   * Goes to the records at a time: one way at a time, and of those that are wanted meanwhile the newest.
   * Resolves to the entry there, or null behind the last one; undefined if another way took over.
   */
  async goTo(ts: number): Promise<number | null | undefined> {
    this.#goal = ts;
    if (this.#isGoing) return undefined;
    this.#isGoing = true;
    let at: number | null | undefined;
    try {
      while (this.#goal !== null) {
        const [goal, opened] = [this.#goal, this.#opened];
        this.#goal = null;
        ({ seq: at } = await this.#parts.api.get<At>(API.at, { ts: Math.round(goal) }));
        if (opened === this.#opened && at !== null) await this.goToEntry(at);
        if (opened !== this.#opened) at = undefined;
      }
      return at;
    } catch (error) {
      this.#reads.failed(error, () => this.goTo(ts));
      return undefined;
    } finally {
      this.#isGoing = false;
    }
  }

  /** Has the records around an entry in the window. */
  async goToEntry(seq: number): Promise<void> {
    this.follows.value = false;
    const rows = this.rows.all;
    const [first, last] = [rows[0]?.seq ?? 0, rows.at(-1)?.seq ?? 0];
    if (rows.length > 0 && seq >= first && (seq <= last || this.isLive.value)) return;
    this.#clear(false);
    if (!(await this.#readBack(seq, () => this.goToEntry(seq), true))) return;
    this.#newer = seq - 1;
    await this.readNewer();
    const isFew = this.reached.value !== null && this.rows.all.length < ENOUGH;
    if (isFew && !this.#isEnded) void this.readOlder();
  }

  /** Goes to the newest records, and follows what comes. */
  toHead(): void {
    this.follows.value = true;
    this.unseen.value = { rows: 0, refused: 0 };
    if (!this.isLive.value) this.open(this.filter.value);
  }

  #clear(live: boolean): void {
    batch(() => {
      this.rows.clear();
      // A connection reads the newest rows once it stands; a jump reads at once.
      this.#reads.begin(live);
      this.reached.value = null;
      this.leftOut.value = 0;
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
    const begin = (head: number): unknown => this.#readBack(head + 1, () => begin(head));
    return connect(
      { token: api.token, filter, now, random },
      {
        welcome: (ledger, head) => {
          if (this.ledger.value !== null && this.ledger.value !== ledger) this.isOther.value = true;
          this.ledger.value = ledger;
          if (hasBegun) return this.retry();
          hasBegun = true;
          void begin(head);
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
        badFilter: (message) => {
          this.badFilter.value = message;
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

  /** Reads the page before an entry; where its time was up, on until rows enough came. `once`: never on. */
  #readBack(seq: number, again: () => unknown, once = false): Promise<boolean> {
    this.#isEnded = false;
    return this.#reads.run(async (isStill) => {
      let before: number | null = seq;
      let came = 0;
      while (before !== null && !this.#isEnded) {
        const page = await this.#page({ before }, isStill, (read) => this.#tookOlder(read));
        came += page?.rows.length ?? 0;
        before = page !== null && page.partial && came < ENOUGH && !once ? page.next : null;
      }
    }, again);
  }

  #tookOlder({ next, reached, rows }: RecordsPage): void {
    this.#older = next;
    this.isWhole.value = next === null;
    this.reached.value = reached;
    const isFirst = this.rows.all.length === 0;
    const { added, dropped } = this.rows.take(rows, 'newest');
    // The newest rows gave way, and the window ends before the head.
    if (dropped > 0) {
      this.isLive.value = false;
      this.#newer = this.rows.all.at(-1)?.seq ?? null;
    }
    if (!isFirst) this.#shiftBy(added);
  }

  async #pageAfter(isStill: () => boolean): Promise<RecordsPage | null> {
    const meanwhile: Row[] = [];
    this.#meanwhile = meanwhile;
    this.#isMissed = false;
    try {
      return await this.#page({ after: this.#newer }, isStill, (page) => {
        this.#newer = page.next ?? page.rows.at(-1)?.seq ?? this.#newer;
        const reaches = page.next === null && !page.partial && !this.#isMissed;
        // The page ends at the head of its moment: what came since then belongs behind it.
        this.#dropped(this.rows.take(reaches ? [...page.rows, ...meanwhile] : page.rows).dropped);
        if (reaches) this.isLive.value = true;
      });
    } finally {
      if (this.#meanwhile === meanwhile) this.#meanwhile = null;
    }
  }

  /** Null if another window stands meanwhile. */
  async #page(
    where: Readonly<Record<string, number | null>>,
    isStill: () => boolean,
    take: (page: RecordsPage) => void,
  ): Promise<RecordsPage | null> {
    const f = this.filter.value;
    const page = await this.#parts.api.get<RecordsPage>(API.records, { f, ...where, limit: PAGE });
    if (!isStill()) return null;
    this.#reads.succeeded();
    batch(() => {
      this.leftOut.value += page.unknown;
      take(page);
      this.version.value += 1;
    });
    return page;
  }

  #shiftBy(by: number): void {
    if (by !== 0) this.shift.value = { by, n: this.shift.value.n + 1 };
  }
}
