import type { LedgerReader, LedgerRow, Page, PageOptions } from '@subluminal/ledger';

/** Rows of a listing that are kept; of more the newest. */
const MAX_ROWS = 20_000;
const PAGE = 1000;

/** The reader of a ledger, as far as its listings are kept. */
export type ListingReader = Pick<LedgerReader, 'byAction' | 'byDecision' | 'size'>;

type ReadPage = (page: PageOptions) => Page<LedgerRow>;

/** A row of a listing, by what is wanted of it. */
export interface KeptRow<Fact> {
  readonly seq: number;
  readonly ts: number;
  readonly runId: string | null;
  readonly fact: Fact;
}

/** The newest rows of a listing of one ledger: an entry that was looked at once is not looked at again. */
export class KeptRows<Fact> {
  readonly #reader: Pick<ListingReader, 'size'>;
  readonly #read: ReadPage;
  readonly #factOf: (row: LedgerRow) => Fact;
  /** Oldest first, without a gap up to the entry `upTo`. */
  #rows: KeptRow<Fact>[] = [];
  #upTo = 0;
  /** The place before the oldest; null if none is older. */
  #older: number | null = null;

  /** @param read A page of the listing, as the reader gives it. */
  constructor(reader: Pick<ListingReader, 'size'>, read: ReadPage, factOf: (row: LedgerRow) => Fact) {
    this.#reader = reader;
    this.#read = read;
    this.#factOf = factOf;
  }

  /**
   * The rows since that time, and some before it, oldest first, until `isOver` says that it is enough.
   * `isWhole`: none since then is left out.
   */
  since(
    ms: number,
    isOver: () => boolean = () => false,
  ): { readonly rows: readonly KeptRow<Fact>[]; readonly isWhole: boolean } {
    const isNew = this.#readNewer(isOver);
    const reached = (): boolean => this.#older === null || (this.#rows[0]?.ts ?? 0) < ms;
    while (!reached() && this.#rows.length < MAX_ROWS && !isOver())
      this.#readOlder(Math.min(PAGE, MAX_ROWS - this.#rows.length));
    return { rows: this.#rows, isWhole: isNew && reached() };
  }

  /** Reads on to the newest entry; false if it was enough before that. */
  #readNewer(isOver: () => boolean): boolean {
    const { size } = this.#reader;
    // So many new ones are read from their end, as at first, and so is a ledger that was put back to before.
    if (this.#upTo === 0 || size < this.#upTo || size - this.#upTo > 10 * MAX_ROWS) {
      this.#rows = [];
      this.#older = null;
      // A page that cannot be read leaves nothing known, and no rows that are taken for all.
      this.#upTo = 0;
      this.#readOlder(PAGE);
      this.#upTo = Math.max(size, this.#rows.at(-1)?.seq ?? 0);
      return true;
    }
    for (let cursor: number | null = this.#upTo; cursor !== null;) {
      const page = this.#read({ order: 'asc', limit: PAGE, cursor });
      this.#rows.push(...page.rows.map((row) => this.#keep(row)));
      if (this.#rows.length > MAX_ROWS) {
        this.#rows = this.#rows.slice(-MAX_ROWS);
        this.#older = this.#rows[0]?.seq ?? null;
      }
      cursor = page.next;
      this.#upTo = Math.max(this.#upTo, cursor === null ? size : 0, page.rows.at(-1)?.seq ?? 0);
      if (cursor !== null && isOver()) return false;
    }
    return true;
  }

  #readOlder(limit: number): void {
    const { next, rows } = this.#read({ limit, cursor: this.#older });
    this.#rows.unshift(...rows.toReversed().map((row) => this.#keep(row)));
    this.#older = next;
  }

  #keep(row: LedgerRow): KeptRow<Fact> {
    const { runId, seq, ts } = row;
    return { seq, ts, runId, fact: this.#factOf(row) };
  }
}
