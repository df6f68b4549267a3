import { opensEffect } from '../entry/kinds.js';
import { keyText } from '../seal/record.js';
import type { Base } from '../segments/base.js';
import type { Carried } from '../segments/carried.js';
import { Predecessor } from '../segments/predecessor.js';
import { openedData } from '../segments/succession.js';
import { DICT_KINDS } from '../store/dictionary.js';
import { Blobs } from './blobs.js';
import {
  carriedBehind,
  differingCarried,
  NOTHING_CARRIED,
  readCarriedHere,
  type CarriedHere,
} from './carried.js';
import type { Checkpoints } from './checkpoints.js';
import type { EntryChecker } from './entries.js';
import { Frames } from './names.js';
import { isRunOf } from './older-runs.js';
import type { Page } from './page-text.js';
import { Pages } from './pages.js';
import type { Finding } from './report.js';
import { SeenIds } from './seen.js';
import { FileSpan } from './span.js';
import { inFile, type PlacedFile } from './survey.js';
import { Tiles } from './tiles.js';

/**
 * Walks through the files of a ledger with one checker. Each has to begin with exactly what the one before it
 * ended with: place, leaf, tree, seals, the entries that may still be referred to, the chains that go on, and
 * the tiles.
 */
export class Walk {
  readonly #files: readonly PlacedFile[];
  readonly #checker: EntryChecker;
  readonly #checkpoints: Checkpoints;
  /**
   * The beginning that the file behind the one that was left has to have; null where nobody knows that one.
   */
  #left: Carried | null;
  #pages: Pages | undefined;
  #at = -1;
  #blobs = 0;

  /** `files`: oldest first. `isWhole`: none is missing before them. */
  constructor(
    files: readonly PlacedFile[],
    checker: EntryChecker,
    checkpoints: Checkpoints,
    { isWhole }: { readonly isWhole: boolean },
  ) {
    this.#files = files;
    this.#checker = checker;
    this.#checkpoints = checkpoints;
    this.#left = isWhole ? NOTHING_CARRIED : null;
  }

  /** Checks the next page. */
  check(page: Page): Finding | null {
    const finding = this.#reach(page.first);
    if (finding !== null) return finding;
    const found = this.#pages?.check(this.#checker, page) ?? null;
    return found === null ? null : this.#named(found);
  }

  /** After the last page: enters the files that have no entries, all of them where there is none. */
  end(): Finding | null {
    return this.#reach(Number.POSITIVE_INFINITY);
  }

  /** Enters the file of an entry, by way of all before it; the newest where it is of none. */
  #reach(seq: number): Finding | null {
    for (;;) {
      const file = this.#files[this.#at];
      const next = this.#files[this.#at + 1];
      if (next === undefined || (file !== undefined && seq <= file.last)) return null;
      const finding = (file === undefined ? null : this.#leave(file)) ?? this.#enter(next, file);
      if (finding !== null) return finding;
    }
  }

  /**
   * Only a file that is closed is left. That the next one begins behind the entry after which this one is
   * named was seen before.
   */
  #leave(file: PlacedFile): Finding | null {
    const { size } = this.#checker.frontier;
    const last = file.closed?.last ?? size;
    const finding =
      (size < last
        ? {
            seq: size + 1,
            class: 'missing' as const,
            detail: 'it is not there, and the name of its file says so',
          }
        : null) ??
      (this.#checker.parts.span.hasEnded
        ? null
        : segment(size, 'its file is closed, and does not end with the entry that says so and a seal')) ??
      this.#checkpoints.leave(size);
    if (finding !== null) return this.#named(finding);
    const unsettled = this.settle();
    if (unsettled !== null) return unsettled;
    this.#left = carriedBehind(file.db, this.#checker);
    this.#blobs = this.#checker.parts.blobs.count;
    // Open for what may be asked of it later, but not with its pages in memory.
    file.db.pragma('shrink_memory');
    return null;
  }

  /** The checks at the end of each file, once the walk has come there. */
  settle(): Finding | null {
    const { frontier, parts } = this.#checker;
    const { size } = frontier;
    const finding =
      (parts.span.isWhole ? null : segment(size + 1, 'it is not there, and its file cannot be without it')) ??
      parts.tiles.settle(size) ??
      parts.blobs.settleAll() ??
      parts.seen.settle() ??
      this.#checkDict();
    return finding === null ? null : this.#named(finding);
  }

  #enter(file: PlacedFile, before: PlacedFile | undefined): Finding | null {
    this.#at += 1;
    const finding = this.#begin(file, before);
    return finding === null ? null : this.#named(finding);
  }

  #begin(file: PlacedFile, before: PlacedFile | undefined): Finding | null {
    const checker = this.#checker;
    const { base, db, genesis } = file;
    const seq = base.segment === 1 ? 0 : checker.frontier.size + 1;
    const other = differingBase(base, checker);
    if (other !== null)
      return segment(seq, `its file says that it begins with another ${other} than it does`);
    const frames = new Frames(db);
    const here = readCarriedHere(db, frames, seq);
    if ('class' in here) return here;
    if (this.#left === null) this.#seed(here);
    else {
      const differing = differingCarried(this.#left, here);
      if (differing !== null) return segment(seq, `its file does not begin as it has to: ${differing}`);
    }
    const tiles = new Tiles(db, base.seq);
    const copied = tiles.checkCopied(base.frontier);
    if (copied !== null) return copied;
    checker.enter({
      frames,
      blobs: new Blobs(db, checker.expiry, this.#blobs),
      seen: new SeenIds(db, frames, before && { file: new Predecessor(before.db), names: here.names }),
      tiles,
      span: new FileSpan(base.segment, base.segment === 1 ? null : openedData(base, here)),
    });
    checker.targets.enter(db, base.seq, here.targets);
    const isOlder = isRunOf(this.#files.slice(0, this.#at).map((older) => older.db));
    checker.runs.enter(here.tips, (run) => isOlder(frames.name(run, DICT_KINDS.run) ?? ''));
    this.#pages = new Pages(db, genesis.ledgerId);
    return this.#checkpoints.enter(file, checker);
  }

  /**
   * Nothing before it is there: what the file begins with is what its first entry commits to, and has to do.
   */
  #seed(here: CarriedHere): void {
    for (const { seq, kind, code } of here.entries) if (opensEffect(kind, code)) this.#checker.open.add(seq);
    this.#checker.runs.countUnseen(here.runs.filter(({ run }) => run !== null).length);
  }

  /**
   * Every name is used by an entry, a claim or a carried row: those prove the names they use, so no row is
   * left unproved.
   */
  #checkDict(): Finding | null {
    const db = this.#files[this.#at]?.db;
    const rows = db?.prepare<[], number>('SELECT count(*) FROM dict').pluck().get() ?? 0;
    if (rows === this.#checker.parts.frames.usedCount) return null;
    return { seq: 0, class: 'dict', detail: 'it holds a name that no entry uses' };
  }

  #named(finding: Finding): Finding {
    const entered = this.#files[this.#at];
    return entered === undefined ? finding : inFile(finding, entered);
  }
}

/** In what a base differs from where the walk has come to, or null. */
function differingBase(base: Base, { frontier, leaf, seals }: EntryChecker): string | null {
  if (base.seq !== frontier.size) return 'entry';
  if (base.leaf !== leaf) return 'predecessor';
  if (!base.frontier.toBytes().equals(frontier.toBytes())) return 'tree';
  return base.seals !== seals.count || keyText(base.sealKey) !== keyText(seals.key) ? 'seal' : null;
}

function segment(seq: number, detail: string): Finding {
  return { seq, class: 'segment', detail };
}
