import { KINDS } from '../entry/kinds.js';
import { closedData } from '../segments/succession.js';
import type { Finding } from './report.js';

/** What may stand next in a file. */
type Place = 'opening' | 'inside' | 'closing' | 'ended';

/**
 * Where a file begins and ends by the word of its entries: one that goes on from another begins with the
 * entry that commits to what it begins with; its end is an entry, and a seal over it. Only a restore brings a
 * file back that had ended.
 */
export class FileSpan {
  readonly #segment: number;
  readonly #opening: string | null;
  #place: Place;

  /** `opening`: the data of its first entry; null where that may be any. */
  constructor(segment: number, opening: string | null) {
    this.#segment = segment;
    this.#opening = opening;
    this.#place = opening === null ? 'inside' : 'opening';
  }

  /** Whether not every entry may stand next. */
  get isStrict(): boolean {
    return this.#place !== 'inside';
  }

  /** Whether nothing may follow but another file. */
  get hasEnded(): boolean {
    return this.#place === 'ended';
  }

  /** Whether the file may be left as it is: nothing is due in it. */
  get isWhole(): boolean {
    return this.#place === 'inside' || this.#place === 'ended';
  }

  /** Takes the next entry. */
  check(seq: number, kind: number, data: string): Finding | null {
    const place = this.#place;
    if (place === 'opening') {
      if (kind !== KINDS.segment_opened || data !== this.#opening)
        return misplaced(seq, 'it does not commit to what its file begins with');
      this.#place = 'inside';
      return null;
    }
    if (place === 'closing' && kind !== KINDS.seal)
      return misplaced(seq, 'the end of its file is not sealed');
    if (place === 'ended' && kind !== KINDS.restored) return misplaced(seq, 'it follows the end of its file');
    if (kind === KINDS.segment_opened) return misplaced(seq, 'it opens a file that is open');
    if (kind === KINDS.segment_closed && data !== closedData(this.#segment))
      return misplaced(seq, 'it closes another file than its own');
    this.#place = kind === KINDS.segment_closed ? 'closing' : place === 'closing' ? 'ended' : 'inside';
    return null;
  }
}

function misplaced(seq: number, detail: string): Finding {
  return { seq, class: 'segment', detail };
}
