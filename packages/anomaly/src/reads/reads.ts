import type { Read } from '@subluminal/gateway';

/** So many first reads of different places are remembered of a run; of later ones the newest untrusted. */
const MAX_READS = 16;

/** The reads of one run, as far as they are remembered. */
export class RunReads {
  readonly #first: Read[] = [];
  #newestUntrusted: Read | undefined;

  add(read: Read): void {
    const isNew = !this.#first.some(({ what, place }) => what === read.what && place === read.place);
    if (isNew && (this.#first.length < MAX_READS || this.#adds(read))) this.#first.push(read);
    if (read.untrusted) this.#newestUntrusted = read;
  }

  get all(): readonly Read[] {
    return this.#newestUntrusted === undefined ? this.#first : [...this.#first, this.#newestUntrusted];
  }

  /** The first thing that was read that is private. */
  get private(): Read | undefined {
    return this.#first.find((read) => read.private);
  }

  /**
   * The first and the newest reading before `ts` of a text that others can write, `place` itself left out. An
   * answer to whoever said something is no surprise.
   */
  untrustedBefore(
    ts: number,
    place: string,
  ): { readonly sinceMs: number; readonly newest: Read } | undefined {
    const fitting = this.all.filter((read) => read.untrusted && read.ts <= ts && read.place !== place);
    const newest = fitting.reduce<Read | undefined>(
      (best, read) => (best !== undefined && best.ts > read.ts ? best : read),
      undefined,
    );
    return newest === undefined
      ? undefined
      : { sinceMs: Math.min(...fitting.map(({ ts: at }) => at)), newest };
  }

  /** The first private and the first untrusted thing always have room. */
  #adds(read: Read): boolean {
    return (
      (read.private && !this.#first.some((one) => one.private)) ||
      (read.untrusted && !this.#first.some((one) => one.untrusted))
    );
  }
}
