import { setImmediate } from 'node:timers/promises';
import { type BytePath, split } from '../files/byte-path.js';
import type { Folder } from '../files/folder.js';
import { Folders } from '../files/folders.js';
import type { Bounds } from '../walk/bounds.js';
import type { UpperEntry, Walked } from '../walk/records.js';
import { TICK_NS } from '../walk/walk.js';
import type { Base, Bases } from './bases.js';
import type { Change, Diff, FileState, How } from './change.js';
import { compare, type Difference, stateIn } from './compare.js';
import { hiddenBelow } from './hidden.js';
import { Moved } from './moved.js';
import { Reads } from './reads.js';
import { isSeen } from './seen.js';
import { inOrder, isSameDifference, type Step } from './step.js';
import { UpperTree } from './upper-tree.js';

/** A layer and the project below it, both open. */
export interface DifferParts {
  readonly upper: Folder;
  readonly project: Folder;
  readonly bases: Bases;
  /** As that of `LayerAbout`. */
  readonly mountedAt: bigint;
  readonly bounds: Bounds;
}

/** The project as one look finds it. */
interface Sides {
  readonly project: Folders;
  readonly moved: Moved;
}

/** Files and bytes that one look reads; others are told by size and time. */
const MOST_READ = { files: 2000, bytes: 67_108_864 };
/** Things of the project that one folder or mark of a layer hides, and that are told. */
const MOST_HIDDEN = 50_000;
/** Paths without a change that are remembered while a world goes on. */
const MOST_IDLE = 10_000;
/** Paths between two turns of the event loop. */
const SLICE = 200;

/** Knows how a layer differs from its project, and by each walk what has changed of that. */
export class Differ {
  readonly #parts: DifferParts;
  readonly #tree: UpperTree;
  readonly #changes = new Map<BytePath, Change>();
  /** Paths of the project that are hidden, by what hides them. */
  readonly #hidden = new Map<BytePath, ReadonlySet<BytePath>>();
  /** Bytes of paths of the project. */
  #hiddenLeft: number;
  #lookedAt = 0n;
  #isTruncated = false;

  constructor(parts: DifferParts) {
    this.#parts = parts;
    this.#tree = new UpperTree(parts.bounds);
    this.#hiddenLeft = parts.bounds.bytes;
  }

  /** From when on the next walk has to look, in nanoseconds since 1970. */
  get since(): bigint {
    return this.#lookedAt;
  }

  /** All differences, folders before what stands in them. */
  get diff(): Diff {
    return { changes: inOrder([...this.#changes.values()]), isTruncated: this.#isTruncated };
  }

  /** The last walk has not told of everything: another one of all is to be taken in. */
  get isUnsure(): boolean {
    return this.#tree.isUnsure;
  }

  /** The outermost folder of the layer, at a path or above, that hides all that the project has there. */
  hiderOf(path: BytePath): BytePath | undefined {
    return this.#tree.hiderOf(path);
  }

  /**
   * All that stands in the layer without differing from the project, as changes that change nothing: it
   * hides what becomes of the project there. Without what a folder needs that hides all else, and stays.
   */
  idle(stays: ReadonlySet<BytePath>): readonly Change[] {
    return inOrder(
      [...this.#tree.unhidden(stays)].flatMap(([path, entry]) =>
        this.#changes.has(path)
          ? []
          : [{ path, how: 'touched' as const, before: undefined, after: stateIn(entry), isStale: false }],
      ),
    );
  }

  /** Takes a walk in, and gives what it changed. Lets the event loop turn in between. */
  async take(walked: Walked): Promise<readonly Step[]> {
    const steps = new Steps(this.#changes);
    const upper = new Folders(this.#parts.upper);
    const project = new Folders(this.#parts.project);
    const since = this.#lookedAt - TICK_NS;
    this.#isTruncated ||= walked.isCut || walked.unreadable.length > 0;
    try {
      const told = inOrder([...this.#tree.take(walked, since)].map((path) => ({ path }))).map(
        ({ path }) => path,
      );
      this.#isTruncated ||= this.#tree.isCut;
      const reads = new Reads(MOST_READ);
      const moved = new Moved({ ...this.#parts, project });
      for (const [at, path] of told.entries()) {
        steps.set(path, await this.#changeOf(path, { upper, project, reads, moved }));
        if (at % SLICE === SLICE - 1) await setImmediate();
      }
      const hiders = this.#hiders(told);
      for (const path of hiders) this.#forgetBelow(path, steps);
      for (const path of hiders) await this.#lookBelow(path, { project, moved }, steps);
    } finally {
      upper.close();
      project.close();
    }
    const all = steps.all;
    this.#parts.bases.add(
      all.flatMap(({ before, after }) => (before === undefined && after !== undefined ? [after] : [])),
    );
    // A thing that a world made and took away again is no change of it any more.
    const isMuch = this.#parts.bases.size > 2 * this.#changes.size + MOST_IDLE;
    if ((this.#lookedAt === 0n || isMuch) && !this.#isTruncated)
      this.#parts.bases.keepOnly((path) => this.#tree.at(path) !== undefined || this.#changes.has(path));
    this.#lookedAt = walked.beganAt;
    return all;
  }

  async #changeOf(
    path: BytePath,
    { upper, project, reads, moved }: Sides & { readonly upper: Folders; readonly reads: Reads },
  ): Promise<Change | undefined> {
    const entry = this.#tree.at(path);
    const { folder } = split(path);
    const above = entry === undefined ? undefined : upper.at(folder);
    // It is gone since it was told: the next walk tells so.
    if (entry === undefined || above === undefined) return undefined;
    const base = this.#parts.bases.of(path)?.before;
    const difference = await compare({ path, entry, upper: above, project: project.at(folder), base }, reads);
    if (difference === undefined) return undefined;
    const { mountedAt } = this.#parts;
    if (this.#isTaken(difference, entry)) return undefined;
    return this.#based(difference, () => {
      const isMoved = moved.has(difference.before?.kind === 'folder' ? path : folder);
      return isSeen(difference.before, project.look(path), { mountedAt, bornAt: entry.bornAt, isMoved });
    });
  }

  /**
   * With what is remembered of the project there, or else what it is now. Undefined if the world has changed
   * nothing there, and the project has.
   */
  #based(difference: Difference, seen: () => boolean): Change | undefined {
    const { path, before, after } = difference;
    const known = this.#parts.bases.of(path);
    const isOnlyTheirs =
      known?.isStale === false && isEqual(known.before, after) && !isEqual(known.before, before);
    if (isOnlyTheirs) return undefined;
    const base: Base = known ?? { before, isStale: !seen() };
    const { before: first, isStale } = base;
    return { ...difference, how: howSince(first, difference), before: first, isStale };
  }

  /** Whether nobody has read it on both sides, and the layer's file is still the one that was taken over. */
  #isTaken({ path, after }: Difference, entry: UpperEntry): boolean {
    const known = this.#parts.bases.of(path);
    const isRead = after?.sha256 !== undefined && known?.before?.sha256 !== undefined;
    if (isRead || known?.taken === undefined) return false;
    return known.taken.inode === entry.inode && known.taken.changedAt === entry.changedAt;
  }

  /** The folders and marks among these that hide something, and those that stand above one of these. */
  #hiders(told: readonly BytePath[]): ReadonlySet<BytePath> {
    const all = new Set<BytePath>();
    for (const path of told) {
      if (this.#hides(path) || this.#hidden.has(path)) all.add(path);
      for (let { folder } = split(path); folder !== ''; { folder } = split(folder))
        if (this.#hides(folder)) all.add(folder);
    }
    return all;
  }

  #hides(path: BytePath): boolean {
    const entry = this.#tree.at(path);
    if (entry === undefined) return false;
    return entry.isOpaque || (entry.kind !== 'folder' && this.#changes.get(path)?.before?.kind === 'folder');
  }

  #forgetBelow(path: BytePath, steps: Steps): void {
    for (const hidden of this.#hidden.get(path) ?? []) {
      this.#hiddenLeft += hidden.length;
      if (this.#tree.at(hidden) === undefined) steps.set(hidden, undefined);
    }
    this.#hidden.delete(path);
  }

  async #lookBelow(path: BytePath, { project, moved }: Sides, steps: Steps): Promise<void> {
    if (!this.#hides(path)) return;
    const all = new Set<BytePath>();
    const { mountedAt } = this.#parts;
    this.#hidden.set(path, all);
    for await (const found of hiddenBelow(path, this.#tree, project)) {
      for (const hidden of found) {
        this.#hiddenLeft -= hidden.path.length;
        all.add(hidden.path);
        const difference = { ...hidden, how: 'deleted' as const, after: undefined };
        const seen = (): boolean => {
          const isMoved = moved.has(
            hidden.before.kind === 'folder' ? hidden.path : split(hidden.path).folder,
          );
          return isSeen(hidden.before, undefined, { mountedAt, bornAt: 0n, isMoved });
        };
        steps.set(hidden.path, this.#based(difference, seen));
      }
      const isFull = all.size >= MOST_HIDDEN || this.#hiddenLeft < 0;
      this.#isTruncated ||= isFull;
      if (isFull) return;
      await setImmediate();
    }
  }
}

/** The way in which the world changed what was there, if the project has it no more. */
function howSince(before: FileState | undefined, { how, after }: Difference): How {
  if (how !== 'added' || before === undefined) return how;
  return before.kind === after?.kind ? 'modified' : 'replaced';
}

/** Whether two states are of equal things, as far as a commit goes; two files that were not read are not. */
function isEqual(one: FileState | undefined, other: FileState | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  if (one.kind !== other.kind || one.kind === 'other') return false;
  if (one.kind === 'link') return one.target === other.target;
  if (one.mode !== other.mode) return false;
  return one.kind === 'folder' || (one.sha256 !== undefined && one.sha256 === other.sha256);
}

/** Changes of the changes, each with what was there at first. */
class Steps {
  readonly #changes: Map<BytePath, Change>;
  readonly #before = new Map<BytePath, Change | undefined>();

  constructor(changes: Map<BytePath, Change>) {
    this.#changes = changes;
  }

  get all(): readonly Step[] {
    const all = [...this.#before].map(([path, before]) => ({ path, before, after: this.#changes.get(path) }));
    return inOrder(all.filter(({ before, after }) => !isSameDifference(before, after)));
  }

  set(path: BytePath, change: Change | undefined): void {
    if (!this.#before.has(path)) this.#before.set(path, this.#changes.get(path));
    if (change === undefined) this.#changes.delete(path);
    else this.#changes.set(path, change);
  }
}
