/**
 * One row of the pool: an element that is made once and painted again for each row that it comes to show.
 * `paint` sets text nodes and `data-*` attributes, and nothing else: it runs for each row of each frame.
 */
export interface PoolRow<Row> {
  readonly element: HTMLElement;
  paint(row: Row, index: number): void;
}

/** The parts of a list. */
export interface ListParts<Row> {
  /** The element that scrolls; it becomes the grid. */
  readonly host: HTMLElement;
  /** Spoken name of the grid. */
  readonly label: string;
  readonly makeRow: () => PoolRow<Row>;
  /** Height of a row, pixels. */
  readonly rowHeight: number;
  /** A row was opened, by Enter or by a press. */
  readonly opened: (row: Row, index: number) => void;
  /** The selection moved, by the person or by the list's owner. */
  readonly moved: (index: number) => void;
  /** The person scrolled: whether the end is in view, and whether the beginning is. */
  readonly scrolled: (atEnd: boolean, atStart: boolean) => void;
}

/** No browser lays out more pixels than this; Firefox ends near 17 million. */
const MOST_PIXELS = 8_000_000;
/** Rows beyond the edges, so that a fast wheel meets painted ones. */
const BEYOND = 4;

/**
 * A list of any length in a constant number of elements: a pool of rows that is pointed at other data while
 * the list scrolls. Data stays outside of it, in an array that its owner may let grow.
 */
export class List<Row> {
  readonly #parts: ListParts<Row>;
  readonly #space: HTMLElement;
  readonly #pool: PoolRow<Row>[] = [];
  /** The index that each element of the pool shows, or -1. */
  readonly #shows: number[] = [];
  #rows: readonly Row[] = [];
  #count = 0;
  #selected = -1;
  #frame = 0;
  #stale = true;
  #isAtEnd = true;
  /** The end is held as the room changes: the last `show` asked for it. */
  #follows = false;
  readonly #resized: ResizeObserver;
  /** The place to which the list scrolled by itself as its room changed: no person did. */
  #ownTop = -1;

  constructor(parts: ListParts<Row>) {
    this.#parts = parts;
    const { host, label } = parts;
    host.setAttribute('role', 'grid');
    host.setAttribute('aria-label', label);
    host.tabIndex = 0;
    this.#space = document.createElement('div');
    this.#space.className = 'list-space';
    this.#space.setAttribute('role', 'rowgroup');
    host.append(this.#space);
    host.addEventListener('scroll', this.#onScroll, { passive: true });
    this.#resized = new ResizeObserver(() => {
      if (this.#follows && this.#isAtEnd) {
        this.toEnd();
        this.#ownTop = host.scrollTop;
      }
      this.#schedule();
    });
    this.#resized.observe(host);
  }

  get selected(): number {
    return this.#selected;
  }

  get isAtEnd(): boolean {
    return this.#isAtEnd;
  }

  /**
   * Shows the first `count` of these rows. The array may be the same as before, grown or changed: all that is
   * in view is painted again. Where the end was in view and `follow` is given, it stays in view.
   */
  show(rows: readonly Row[], count: number, follow: boolean): void {
    const shorter = count < this.#count;
    this.#rows = rows;
    this.#count = Math.min(count, Math.floor(MOST_PIXELS / this.#parts.rowHeight));
    this.#parts.host.setAttribute('aria-rowcount', String(this.#count));
    this.#space.style.height = `${this.#count * this.#parts.rowHeight}px`;
    if (this.#selected >= this.#count) this.#selected = this.#count - 1;
    this.#stale = true;
    this.#follows = follow;
    if (follow) this.toEnd();
    else if (shorter) this.#isAtEnd = this.#endIsInView();
    this.#schedule();
  }

  /** So many rows were put before those in view: what is in view stays there. */
  shiftBy(rows: number): void {
    if (this.#selected >= 0) this.#selected += rows;
    this.#parts.host.scrollTop += rows * this.#parts.rowHeight;
    this.#stale = true;
    this.#schedule();
  }

  /** Selects a row and brings it into view; -1 selects none. */
  select(index: number, where: 'near' | 'middle' = 'near'): void {
    const { host, rowHeight } = this.#parts;
    this.#selected = Math.max(-1, Math.min(index, this.#count - 1));
    this.#stale = true;
    if (this.#selected >= 0) {
      const top = this.#selected * rowHeight;
      if (where === 'middle') host.scrollTop = top - (host.clientHeight - rowHeight) / 2;
      else if (top < host.scrollTop) host.scrollTop = top;
      else if (top + rowHeight > host.scrollTop + host.clientHeight)
        host.scrollTop = top + rowHeight - host.clientHeight;
    }
    this.#parts.moved(this.#selected);
    this.#schedule();
  }

  /** Moves the selection by rows; the first step selects a row in view. */
  step(by: number): void {
    if (this.#count === 0) return;
    const from =
      this.#selected >= 0 ? this.#selected : by > 0 ? this.#firstInView() - 1 : this.#lastInView() + 1;
    this.select(Math.max(0, Math.min(from + by, this.#count - 1)));
  }

  /** Rows of one page, for PgUp and PgDn. */
  get pageLength(): number {
    return Math.max(1, Math.floor(this.#parts.host.clientHeight / this.#parts.rowHeight) - 1);
  }

  toEnd(): void {
    const { host, rowHeight } = this.#parts;
    host.scrollTop = this.#count * rowHeight;
    this.#isAtEnd = true;
    this.#schedule();
  }

  /** Opens the selected row. */
  open(): void {
    const row = this.#rows[this.#selected];
    if (row !== undefined) this.#parts.opened(row, this.#selected);
  }

  /** Gives the elements back; the list shows nothing afterwards. */
  destroy(): void {
    cancelAnimationFrame(this.#frame);
    this.#resized.disconnect();
    this.#parts.host.removeEventListener('scroll', this.#onScroll);
    this.#space.remove();
  }

  readonly #onScroll = (): void => {
    this.#isAtEnd = this.#endIsInView();
    const isOwn = this.#parts.host.scrollTop === this.#ownTop;
    this.#ownTop = -1;
    if (isOwn) return this.#schedule();
    this.#parts.scrolled(this.#isAtEnd, this.#parts.host.scrollTop < this.#parts.rowHeight * 8);
    this.#schedule();
  };

  #endIsInView(): boolean {
    const { host, rowHeight } = this.#parts;
    return host.scrollTop + host.clientHeight >= this.#count * rowHeight - rowHeight / 2;
  }

  #firstInView(): number {
    return Math.floor(this.#parts.host.scrollTop / this.#parts.rowHeight);
  }

  #lastInView(): number {
    const { host, rowHeight } = this.#parts;
    return Math.min(this.#count - 1, Math.floor((host.scrollTop + host.clientHeight) / rowHeight) - 1);
  }

  #schedule(): void {
    if (this.#frame !== 0) return;
    this.#frame = requestAnimationFrame(() => {
      this.#frame = 0;
      this.#paint();
    });
  }

  #paint(): void {
    const { host, rowHeight } = this.#parts;
    const wanted = Math.ceil(host.clientHeight / rowHeight) + 2 * BEYOND;
    this.#fillPool(Math.min(wanted, this.#count));
    const size = this.#pool.length;
    const first = Math.max(0, Math.min(this.#firstInView() - BEYOND, this.#count - size));
    for (let place = 0; place < size; place += 1) {
      // Each index has its one element, so a step of one row paints one row.
      const index = first + ((((place - first) % size) + size) % size);
      if (this.#shows[place] === index && !this.#stale) continue;
      this.#paintAt(place, index);
    }
    this.#stale = false;
    this.#pointAtSelected();
  }

  #paintAt(place: number, index: number): void {
    const pooled = this.#pool[place];
    const row = this.#rows[index];
    if (pooled === undefined || row === undefined) return;
    const { element } = pooled;
    if (this.#shows[place] !== index) {
      element.style.transform = `translateY(${index * this.#parts.rowHeight}px)`;
      element.setAttribute('aria-rowindex', String(index + 1));
      this.#shows[place] = index;
    }
    element.setAttribute('aria-selected', String(index === this.#selected));
    pooled.paint(row, index);
  }

  #fillPool(size: number): void {
    while (this.#pool.length > size) {
      this.#pool.pop()?.element.remove();
      this.#shows.pop();
      this.#stale = true;
    }
    while (this.#pool.length < size) {
      const place = this.#pool.length;
      const made = this.#parts.makeRow();
      const { element } = made;
      element.id = `${this.#parts.host.id}-${place}`;
      element.setAttribute('role', 'row');
      element.style.height = `${this.#parts.rowHeight}px`;
      element.addEventListener('click', () => {
        // A drag that marks text is no press.
        if (document.getSelection()?.isCollapsed === false) return;
        this.select(this.#shows[place] ?? -1);
        this.open();
      });
      this.#space.append(element);
      this.#pool.push(made);
      this.#shows.push(-1);
      this.#stale = true;
    }
  }

  /** After the paint: the element of an index is another one after each. */
  #pointAtSelected(): void {
    const { host } = this.#parts;
    const place = this.#selected < 0 ? -1 : this.#shows.indexOf(this.#selected);
    const id = this.#pool[place]?.element.id;
    if (id === undefined) host.removeAttribute('aria-activedescendant');
    else if (host.getAttribute('aria-activedescendant') !== id)
      host.setAttribute('aria-activedescendant', id);
  }
}
