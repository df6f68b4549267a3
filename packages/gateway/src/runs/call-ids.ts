/** The end of an id that counts; what stands before it names a series. */
const PLACE_CHARS = 8;

/** Series of one run. A shim has one as long as it lives. */
const MAX_SERIES = 4096;

/**
 * The call ids that a run has used (unique within a run), exactly and in bounded memory: ids that share all
 * but their last eight characters are a series, and in a series each id is greater, as text, than the one
 * before. Shims number their calls so. One id a series is remembered instead of every id of a run that may
 * live for weeks; the price is that an id which was skipped cannot be used later.
 */
export class CallIds {
  readonly #last = new Map<string, string>();

  /**
   * Claims an id: `used` when it, or a greater one of its series, was claimed before; `full` beyond 4096
   * series.
   */
  claim(id: string): 'claimed' | 'used' | 'full' {
    const series = id.slice(0, -PLACE_CHARS);
    const place = id.slice(-PLACE_CHARS);
    const last = this.#last.get(series);
    if (last === undefined ? this.#last.size >= MAX_SERIES : place <= last) {
      return last === undefined ? 'full' : 'used';
    }
    this.#last.set(series, place);
    return 'claimed';
  }

  /** Whether neither it nor a greater one of its series was claimed before. Claims nothing. */
  isNew(id: string): boolean {
    const last = this.#last.get(id.slice(0, -PLACE_CHARS));
    return last === undefined || id.slice(-PLACE_CHARS) > last;
  }
}
