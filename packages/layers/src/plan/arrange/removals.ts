import type { FileState } from '../../diff/change.js';
import { type BytePath, isAtOneOf, joined, split } from '../../files/byte-path.js';
import type { Folders } from '../../files/folders.js';
import { deniedBy } from '../denied.js';
import { gitPartOf } from '../git.js';
import type { Conflict } from '../left.js';
import { isWhole, withOwner } from './modes.js';
import type { CommitStep } from '../steps.js';

/** The removals of a plan, in their order. */
export interface OrderedRemovals {
  /** Folders in which their owner may remove nothing are opened. */
  readonly opened: readonly CommitStep[];
  /** In folders that become something else. */
  readonly first: readonly CommitStep[];
  /** After all that is put, so that what was moved is there before it is gone. */
  readonly later: readonly CommitStep[];
  /** Names that git gives to objects. */
  readonly refs: readonly CommitStep[];
  readonly conflicts: readonly Conflict[];
}

type Removed = readonly [BytePath, FileState];

/** Gathers what is to be removed, and finds which folders are then empty. */
export class Removals {
  readonly #project: Folders;
  readonly #removed = new Map<BytePath, FileState>();
  /** Folders that become a file or a link in the layer. */
  readonly #replaced = new Set<BytePath>();
  /** Paths that stay as they are, and are told as such elsewhere. */
  readonly #kept = new Set<BytePath>();

  constructor(project: Folders) {
    this.#project = project;
  }

  add(path: BytePath, now: FileState): void {
    this.#removed.set(path, now);
  }

  replace(path: BytePath): void {
    this.#replaced.add(path);
  }

  keep(path: BytePath): void {
    this.#kept.add(path);
  }

  /** Looks into each folder that is to go, from below: one that holds anything else stays. */
  ordered(): OrderedRemovals {
    const fromBelow: readonly Removed[] = [...this.#removed].toReversed();
    const conflicts: Conflict[] = [];
    const stays = new Set<BytePath>();
    for (const [path, { kind }] of fromBelow) {
      if (kind !== 'folder' || this.#isEmptied(path, stays)) continue;
      stays.add(path);
      conflicts.push({ path, why: 'holds_others' });
    }
    // If nothing takes a folder's place, then it stays, with what stands in it.
    const unreplaced = new Set([...this.#replaced].filter((path) => !this.#isReplaceable(path, stays)));
    for (const path of unreplaced) if (!this.#kept.has(path)) conflicts.push({ path, why: 'holds_others' });
    for (const [path] of fromBelow) {
      if (stays.has(path) || !isAtOneOf(path, unreplaced)) continue;
      stays.add(path);
      conflicts.push({ path, why: 'holds_others' });
    }
    const gone = fromBelow.filter(([path]) => !stays.has(path));
    const others = gone.filter(([path]) => !isAtOneOf(path, this.#replaced));
    return {
      opened: opened(gone),
      first: gone.filter(([path]) => isAtOneOf(path, this.#replaced)).map(removal),
      later: others.filter(([path]) => gitPartOf(path) !== 'ref').map(removal),
      refs: others.filter(([path]) => gitPartOf(path) === 'ref').map(removal),
      conflicts,
    };
  }

  #isReplaceable(path: BytePath, stays: ReadonlySet<BytePath>): boolean {
    return !this.#kept.has(path) && this.#isEmptied(path, stays);
  }

  #isEmptied(folder: BytePath, stays: ReadonlySet<BytePath>): boolean {
    const names = this.#namesIn(folder);
    return names.every((name) => {
      const path = joined(folder, name);
      return this.#removed.has(path) && !stays.has(path) && !this.#kept.has(path);
    });
  }

  #namesIn(folder: BytePath): readonly BytePath[] {
    try {
      return this.#project.at(folder)?.names() ?? [];
    } catch (error) {
      // It is opened before anything is removed, and then tells itself whether it is empty.
      if (deniedBy(error) === undefined) throw error;
      return [];
    }
  }
}

function removal([path, now]: Removed): CommitStep {
  return { does: now.kind === 'folder' ? 'remove_folder' : 'remove', path, now };
}

/** From above, since they are entered so. */
function opened(gone: readonly Removed[]): readonly CommitStep[] {
  const holding = new Set(gone.map(([path]) => split(path).folder));
  return gone
    .filter(([path, { kind, mode }]) => kind === 'folder' && !isWhole(mode) && holding.has(path))
    .toReversed()
    .map(([path, now]) => ({ does: 'set_mode', path, now, mode: withOwner(now.mode) }));
}
