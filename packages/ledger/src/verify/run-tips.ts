import { NO_LEAF } from '../entry/format.js';
import { Bytes } from './bytes.js';

const NAME = ',"rp":"';

/** The tip of a run's chain. */
export class RunTip {
  ri: number;
  /** As the next entry has to name its predecessor: the name of the member, and the leaf. */
  readonly named: Bytes;

  /** `rp`: a leaf. Text of another length is the predecessor of no entry. */
  constructor(ri: number, rp: string) {
    this.ri = ri;
    this.named = Bytes.of(`${NAME}${rp.length === NO_LEAF.length ? rp : ' '.repeat(NO_LEAF.length)}`);
  }

  /** The leaf that the next entry has to name. */
  get rp(): string {
    return this.named.octets.toString('latin1', NAME.length);
  }

  /** Goes on to the next entry, whose leaf stands at `at`. */
  follow(leaves: Bytes, at: number): void {
    this.ri += 1;
    this.named.copy(NAME.length, leaves, at, NO_LEAF.length / 4);
  }
}

/**
 * Follows each run's own chain. An ended run costs one bit of its file's, so that memory grows with open runs
 * only.
 */
export class RunTips {
  #tips = new Map<number, RunTip>();
  #ended = new Uint8Array(4096);
  #isOver: (run: number) => boolean = () => false;
  #count = 0;

  /** Runs met so far, without the system chain. */
  get count(): number {
    return this.#count;
  }

  /** The chains that go on, by the numbers of their runs in the file. */
  get open(): ReadonlyMap<number, RunTip> {
    return this.#tips;
  }

  /**
   * Goes on in a file with other numbers. `isOver`: whether a run that is met there first had ended before
   * it.
   */
  enter(tips: ReadonlyMap<number, RunTip>, isOver: (run: number) => boolean): void {
    this.#tips = new Map(tips);
    this.#ended = new Uint8Array(4096);
    this.#isOver = isOver;
  }

  /** Counts runs whose beginning is not there. */
  countUnseen(runs: number): void {
    this.#count += runs;
  }

  /** The tip of a run (0: system), or null after its end. */
  tip(run: number): RunTip | null {
    const known = this.#tips.get(run);
    if (known !== undefined) return known;
    if (this.#ended[run] === 1 || (run !== 0 && this.#isOver(run))) return null;
    const fresh = new RunTip(0, NO_LEAF);
    this.#tips.set(run, fresh);
    if (run !== 0) this.#count += 1;
    return fresh;
  }

  end(run: number): void {
    this.#tips.delete(run);
    while (run >= this.#ended.length) this.#ended = doubled(this.#ended);
    this.#ended[run] = 1;
  }
}

function doubled(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const larger = new Uint8Array(bytes.length * 2);
  larger.set(bytes);
  return larger;
}
