import { canonicalize, parseJson } from '@subluminal/core-types';
import type { KeyObject } from 'node:crypto';
import { isOfItself, KINDS } from '../entry/kinds.js';
import type { Genesis } from '../genesis/record.js';
import type { Base } from '../segments/base.js';
import type { Blobs } from './blobs.js';
import { dataEnd } from './body-end.js';
import type { Checkpoints } from './checkpoints.js';
import { ownMembers } from './claims.js';
import { NONE } from './cursor.js';
import { diagnose } from './diagnose.js';
import type { Expiry } from './expiry.js';
import { GrowingTree, HASH } from './growing-tree.js';
import type { Frame, Frames } from './names.js';
import type { Finding } from './report.js';
import { LEAF, textOf, type Row } from './row.js';
import { RunTips } from './run-tips.js';
import { SealWalk } from './seals.js';
import type { SeenIds } from './seen.js';
import type { FileSpan } from './span.js';
import { Targets } from './targets.js';
import type { Tiles } from './tiles.js';

/** The checks of one file: names, previews and claims stand in tables of their own in each. */
export interface FileParts {
  readonly frames: Frames;
  readonly blobs: Blobs;
  readonly seen: SeenIds;
  readonly tiles: Tiles;
  readonly span: FileSpan;
}

/** Where a walk begins, and what it is held against. */
export interface CheckerStart {
  readonly genesis: Genesis;
  readonly base: Base;
  readonly expiry: Expiry;
  readonly checkpoints: Checkpoints;
}

/** Checks entries one after the other, file after file, and carries what the next one needs. */
export class EntryChecker {
  readonly frontier: GrowingTree;
  readonly open = new Set<number>();
  readonly expiry: Expiry;
  readonly runs = new RunTips();
  readonly targets = new Targets();
  readonly logKey: KeyObject;
  readonly seals: SealWalk;
  readonly #checkpoints: Checkpoints;
  #parts: FileParts | undefined;
  #leaf: string;

  constructor({ genesis, base, expiry, checkpoints }: CheckerStart) {
    this.expiry = expiry;
    this.frontier = GrowingTree.from(base.frontier);
    this.logKey = genesis.publicKey;
    this.seals = new SealWalk(genesis, base);
    this.#checkpoints = checkpoints;
    this.#leaf = base.leaf;
  }

  /** The file that it is in. */
  get parts(): FileParts {
    if (this.#parts === undefined) throw new TypeError('the checker has not entered a file');
    return this.#parts;
  }

  /** Blobs found so far. */
  get blobs(): number {
    return this.#parts?.blobs.count ?? 0;
  }

  enter(parts: FileParts): void {
    this.#parts = parts;
  }

  /** The leaf of the last entry; before the first, what it follows. */
  get leaf(): string {
    return this.#leaf;
  }

  /**
   * Checks the next entry, whose body and predecessor were found to give the hash in its column. The order of
   * the checks decides which class an entry that fails several is given.
   */
  check(row: Row): Finding | null {
    const seq = this.frontier.size + 1;
    const { bytes, bodyAt, index, leaves } = row;
    const { frames, tiles, span } = this.parts;
    const frame = frames.frame(row);
    if ('class' in frame) return { seq, ...frame };
    const run = frames.run(row.run);
    if ('class' in run) return { seq, ...run };
    const tip = this.runs.tip(run.number);
    if (tip === null) return { seq, class: 'run_chain', detail: 'it follows the end of its run' };
    const dataAt = bodyAt + frame.prefix.length;
    const end = dataEnd(row, frame, run, tip);
    if (end < dataAt + 2 || !bytes.holds(bodyAt, frame.prefix)) return diagnose(seq, row, frame, run, tip);
    const ref = row.ref === NONE ? null : row.ref;
    const wrong = this.targets.wrong(seq, { rule: frame.rule, run: run.number }, ref);
    if (wrong !== null) return { seq, class: 'pairing', detail: wrong };
    const claims = this.#checkOwnMembers(seq, run.number, row, dataAt);
    if (claims !== null) return claims;
    if (isOfItself(frame.kind) || span.isStrict) {
      const data = textOf(row, dataAt, end);
      const unfit =
        span.check(seq, frame.kind, data) ?? this.#checkOfItself(seq, run.number, frame, row, data);
      if (unfit !== null) return unfit;
    }

    this.targets.add(seq, frame.kind, run.number);
    this.#leaf = row.leaf;
    this.frontier.push(leaves.hashes, index * HASH, tiles.completed);
    tip.follow(leaves.texts, (index + 1) * LEAF);
    if (run.number !== 0 && frame.kind === KINDS.run_end) this.runs.end(run.number);
    if (frame.opens) this.open.add(seq);
    if (ref !== null && frame.closes) this.open.delete(ref);
    const misplaced = tiles.finding;
    if (misplaced !== null) return misplaced;
    return seq === this.#checkpoints.next ? this.#checkpoints.check(this) : null;
  }

  /**
   * Entries of the ledger about itself. No other comes here: where not every kind may stand, the span has
   * refused it.
   */
  #checkOfItself(seq: number, run: number, frame: Frame, row: Row, data: string): Finding | null {
    if (run !== 0)
      return { seq, class: 'run_chain', detail: 'an entry of the ledger itself belongs to no run' };
    if (frame.kind === KINDS.seal) return this.seals.check(seq, data, this.frontier);
    if (frame.kind === KINDS.previews_expired)
      return this.expiry.confirm(seq, textOf(row, row.bodyAt, row.bodyEnd), data);
    if (frame.kind === KINDS.restored)
      return this.seals.checkRestored(seq, Number(textOf(row, row.tsAt, row.tsEnd)), data, this.frontier);
    if (frame.kind === KINDS.anchored && isCanonical(data)) return null;
    // Their place and their data are all that they are.
    if (frame.kind === KINDS.segment_opened || frame.kind === KINDS.segment_closed) return null;
    // No writer makes another kind, and nobody could say what it means.
    return { seq, class: 'column', detail: 'it is not what a writer makes of an entry of its kind' };
  }

  #checkOwnMembers(seq: number, run: number, row: Row, dataAt: number): Finding | null {
    const own = ownMembers(row, dataAt);
    if (own === undefined)
      return { seq, class: 'column', detail: 'its body does not say what it claims or commits to' };
    const { seen, blobs } = own;
    if (blobs !== null) this.parts.blobs.expect(seq, blobs);
    return seen === null ? null : this.parts.seen.check(seq, run, seen);
  }
}

/** Each key once, and in one spelling: every reader reads the same. */
function isCanonical(data: string): boolean {
  try {
    return canonicalize(parseJson(data)) === data;
  } catch {
    // A text that cannot be read is not canonical, and the caller reports that.
    return false;
  }
}
