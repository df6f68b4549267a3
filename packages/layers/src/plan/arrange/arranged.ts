import type { Change, FileState } from '../../diff/change.js';
import { type BytePath, split } from '../../files/byte-path.js';
import type { Folder } from '../../files/folder.js';
import type { Folders } from '../../files/folders.js';
import { gitPartOf } from '../git.js';
import type { Conflict } from '../left.js';
import type { CommitStep } from '../steps.js';
import { isWhole, withOwner } from './modes.js';
import type { Put } from './puts.js';
import { Removals } from './removals.js';

/** The steps of a plan in their order, and what could not be put in order. */
export interface InOrder {
  readonly steps: readonly CommitStep[];
  readonly conflicts: readonly Conflict[];
  /** Those that lose their set-id bits. */
  readonly stripped: readonly BytePath[];
}

/** Puts steps in order: what a name needs is there before it, and what was moved before it is gone. */
export class Arranged {
  readonly #removals: Removals;
  /** Folders come first, those above objects of git among them. */
  readonly #folders: CommitStep[] = [];
  readonly #objects: CommitStep[] = [];
  readonly #main: CommitStep[] = [];
  readonly #refs: CommitStep[] = [];
  /** Permissions that would be in the way until all is done. */
  readonly #last: CommitStep[] = [];
  /** Folders that are going to be made, and whether they take over the group of the folder above. */
  readonly #made = new Map<BytePath, boolean>();
  readonly #stripped: BytePath[] = [];

  constructor(project: Folders) {
    this.#removals = new Removals(project);
  }

  get inOrder(): InOrder {
    const { opened, first, later, refs, conflicts } = this.#removals.ordered();
    const isLeft = new Set(conflicts.map(({ path }) => path));
    const puts = [...this.#objects, ...this.#main].filter(({ path }) => !isLeft.has(path));
    const before = [...opened, ...this.#folders, ...first];
    return {
      steps: [...before, ...puts, ...later, ...this.#refs, ...refs, ...this.#last.toReversed()],
      conflicts,
      stripped: this.#stripped,
    };
  }

  /** Whether a folder that the project has not is going to be made. */
  makes(folder: BytePath): boolean {
    return this.#made.has(folder);
  }

  /** Stays as it is, and nothing that holds it can be taken away. */
  keep(path: BytePath): void {
    this.#removals.keep(path);
  }

  /** A folder of the project becomes something else. */
  replace(path: BytePath): void {
    this.#removals.replace(path);
  }

  remove(path: BytePath, now: FileState): void {
    this.#removals.add(path, now);
  }

  /** The steps of one change. `project` is the folder of its path there, if there is one. */
  put(change: Put, planned: readonly CommitStep[], project: Folder | undefined): void {
    const { path, after } = change;
    const part = gitPartOf(path);
    const isObject = part === 'object' || part === 'object_folder';
    const isRef = part === 'ref' || part === 'index';
    const ofFile = isObject ? this.#objects : isRef ? this.#refs : this.#main;
    const steps = after.kind === 'folder' ? this.#folders : ofFile;
    const takesGroup = this.#takesGroup(path, project);
    for (const step of planned) {
      if (step.does === 'make_folder') this.#made.set(path, takesGroup);
      if (
        (step.does === 'make_folder' || step.does === 'set_mode') &&
        after.kind === 'folder' &&
        !isWhole(step.mode)
      ) {
        steps.push({ ...step, mode: withOwner(step.mode) });
        this.#last.push({ does: 'set_mode', path, mode: step.mode, now: step.now });
      } else steps.push(step);
    }
    if (losesBits(change, takesGroup)) this.#stripped.push(path);
  }

  #takesGroup(path: BytePath, project: Folder | undefined): boolean {
    const { folder } = split(path);
    return this.#made.get(folder) ?? (project !== undefined && (project.stats.mode & 0o2000n) !== 0n);
  }
}

function losesBits({ before, after }: Change, takesGroup: boolean): boolean {
  if (after === undefined || (after.kind !== 'file' && after.kind !== 'folder')) return false;
  const bits = after.mode & 0o6000;
  if (after.kind === 'file') return bits !== 0;
  const known = (before?.kind === 'folder' ? before.mode & 0o6000 : 0) | (takesGroup ? 0o2000 : 0);
  return (bits & ~known) !== 0;
}
