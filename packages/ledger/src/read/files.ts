import { SublError } from '@subluminal/core-types';
import { existsSync, statSync } from 'node:fs';
import type { Genesis } from '../genesis/record.js';
import { corrupt } from '../head/row.js';
import type { Base } from '../segments/base.js';
import { segmentsFolder, type ClosedSegment } from '../segments/closed.js';
import { identityOf, openClosed, openPresent, type OpenFile } from './open-file.js';
import { elsewhere, findPlaces, type Places } from './places.js';

interface Present<T> {
  readonly file: OpenFile;
  readonly identity: string;
  readonly places: Places;
  /** Of the folder when its names were read. */
  readonly stamp: string;
  readonly used: T;
}

/** As many closed files are open at once. */
const MAX_CLOSED = 4;

/**
 * The files of a ledger, as one: `ledger.db`, which is the newest, and the closed ones in `segments/`. A file
 * is opened when it is asked for, and `use` makes of it what answers questions. What it gives is good until
 * the next call here. While the newest file is open the ledger cannot go on in another: who lives long lets
 * go of it between questions (`release`), and the next question finds what is the newest file by then.
 */
export class LedgerFiles<T> {
  readonly path: string;
  readonly genesis: Genesis;
  readonly #use: (file: OpenFile) => T;
  readonly #closed = new Map<string, { readonly file: OpenFile; readonly used: T }>();
  #present: Present<T> | undefined;
  #isClosed = false;

  /** Throws `ledger_missing`, `ledger_corrupt` (not a ledger), `ledger_unsafe`. */
  constructor(path: string, use: (file: OpenFile) => T) {
    this.path = path;
    this.#use = use;
    const file = openPresent(path);
    this.genesis = file.genesis;
    this.#present = this.#take(file);
  }

  /** The newest file. */
  get present(): T {
    return this.#opened().used;
  }

  /** Where it begins. */
  get base(): Base {
    return this.#opened().file.base;
  }

  /** The closed files that are there, and what is missing of them. */
  get places(): Places {
    return this.#opened().places;
  }

  /**
   * The newest file and the closed ones, all of one moment: asked for one by one, a file may have ended in
   * between.
   */
  get now(): { readonly present: T; readonly places: Places } {
    const { used, places } = this.#opened();
    return { present: used, places };
  }

  /**
   * The newest file and those before it up to the first that is missing; from the one that holds `seq` on,
   * where it is given.
   */
  *newestFirst(seq = Number.POSITIVE_INFINITY): Generator<T> {
    const { file, places, used } = this.#opened();
    if (seq > file.base.seq) yield used;
    for (const place of places.chain) if (place.first <= seq) yield this.there(place);
  }

  /** The same files in the other direction: those that hold entries behind `seq`. */
  *oldestFirst(seq = 0): Generator<T> {
    // Looked at anew for each file: the newest may have ended since, and stand among the closed ones now.
    for (let after = seq; ;) {
      const { places, used } = this.#opened();
      const place = places.chain.findLast(({ last }) => last > after);
      if (place === undefined) return yield used;
      after = place.last;
      yield this.there(place);
    }
  }

  /**
   * The file that holds an entry, or would; undefined below the first one. Throws `not_found` where it is not
   * there.
   */
  holding(seq: number): T | undefined {
    const { file, places, used: newest } = this.#opened();
    if (seq > file.base.seq) return newest;
    if (!Number.isSafeInteger(seq) || seq < 1) return undefined;
    const place = [...places.chain, ...places.beyond].find(({ first, last }) => first <= seq && seq <= last);
    const used = place === undefined ? undefined : this.closed(place);
    if (used !== undefined) return used;
    const { number, first, last } = place ?? { number: 0, first: 0, last: 0 };
    const moved = { from: number, to: number, first, last };
    const gap = places.missing.find((one) => one.first <= seq && seq <= one.last);
    throw elsewhere(this.path, `entry \`${seq}\``, gap ?? moved);
  }

  /** The oldest file there that begins behind an entry. */
  after(seq: number): T | undefined {
    const { file, places, used } = this.#opened();
    const next = [...places.beyond.toReversed(), ...places.chain.toReversed()].find(
      ({ first }) => first > seq,
    );
    if (next !== undefined) return this.closed(next);
    return file.base.seq >= seq ? used : undefined;
  }

  /** Whether the file that would hold an entry is there. */
  holds(seq: number): boolean {
    return !this.places.missing.some(({ first, last }) => first <= seq && seq <= last);
  }

  /** A closed file; undefined where it was moved away since it was listed. */
  closed(place: ClosedSegment): T | undefined {
    this.#assertOpen();
    const open = this.#closed.get(place.path);
    if (open !== undefined) {
      this.#closed.delete(place.path);
      this.#closed.set(place.path, open);
      return open.used;
    }
    if (!existsSync(place.path)) return undefined;
    const file = openClosed(place, this.genesis);
    const used = this.#made(file);
    this.#closed.set(place.path, { file, used });
    if (this.#closed.size > MAX_CLOSED) this.#closeOldest();
    return used;
  }

  /** A closed file of the chain. Throws `not_found` where it was moved away since it was listed. */
  there(place: ClosedSegment): T {
    const used = this.closed(place);
    // A listing that went on without it would have a gap that nobody sees.
    if (used === undefined) throw this.#movedAway(place);
    return used;
  }

  /** Lets go of every file until the next question. */
  release(): void {
    const open = [this.#present?.file, ...[...this.#closed.values()].map(({ file }) => file)];
    this.#present = undefined;
    this.#closed.clear();
    for (const file of open) file?.db.close();
  }

  close(): void {
    this.#isClosed = true;
    this.release();
  }

  #movedAway({ number, first, last }: ClosedSegment): SublError {
    this.release();
    return elsewhere(this.path, `entry \`${last}\``, { from: number, to: number, first, last });
  }

  /** A walk that waits between two files may outlive it. */
  #assertOpen(): void {
    if (this.#isClosed) throw new TypeError('the reader is closed');
  }

  #opened(): Present<T> {
    this.#assertOpen();
    // A connection keeps the file in its place, unless a lock was lost; then this one will never see what
    // comes next.
    if (this.#present !== undefined && identityOf(this.path) === this.#present.identity) {
      const { file, stamp } = this.#present;
      if (stampOf(this.path) !== stamp) this.#present = { ...this.#present, ...found(this.path, file) };
      return this.#present;
    }
    this.release();
    this.#present = this.#take(openPresent(this.path));
    return this.#present;
  }

  #take(file: OpenFile): Present<T> {
    if (file.genesis.fingerprint !== this.genesis.fingerprint) {
      file.db.close();
      throw corrupt(this.path, 'another ledger has taken its place while it was read');
    }
    const used = this.#made(file);
    return { file, identity: identityOf(this.path), ...found(this.path, file), used };
  }

  #made(file: OpenFile): T {
    try {
      return this.#use(file);
    } catch (error) {
      file.db.close();
      if (error instanceof SublError) throw error;
      throw new SublError('ledger_corrupt', `\`${file.path}\` is not a ledger of this version`, {
        cause: error,
      });
    }
  }

  #closeOldest(): void {
    const [oldest] = this.#closed;
    if (oldest === undefined) return;
    this.#closed.delete(oldest[0]);
    oldest[1].file.db.close();
  }
}

/** The closed files as they lie there, and the stamp of their folder right before. */
function found(path: string, { base }: OpenFile): { readonly stamp: string; readonly places: Places } {
  const stamp = stampOf(path);
  return { stamp, places: findPlaces(path, base) };
}

/** Another one once a file was moved into the folder of closed files, or out of it. */
function stampOf(path: string): string {
  const stats = statSync(segmentsFolder(path), { bigint: true, throwIfNoEntry: false });
  return stats === undefined ? 'none' : `${stats.dev} ${stats.ino} ${stats.mtimeNs}`;
}
