import type { Change, FileState } from '../diff/change.js';
import { type BytePath, split } from '../files/byte-path.js';
import { sha256At } from '../files/content.js';
import type { Folder } from '../files/folder.js';

/**
 * How the project stands to one change of it.
 * - `done`: it is as the layer has it, but maybe for its permissions or its time;
 * - `open`: it is as the world found it;
 * - `other`: it is neither.
 */
export type Standing = 'done' | 'open' | 'other';

/** One path of the project as it is now, its folder, and the layer's. */
export interface Now {
  readonly state: FileState;
  readonly folder: Folder;
  /** Undefined for a path of which the layer has nothing. */
  readonly upper: Folder | undefined;
}

/** Reads both files where their states alone do not say whether they are equal. */
export async function standingOf(change: Change, now: Now): Promise<Standing> {
  const { before, after } = change;
  const { name } = split(change.path);
  const isUntouched = before !== undefined && !change.isStale && isUnchanged(before, now.state);
  if (isUntouched) return 'open';
  const read = new Reading(now, name);
  if (after !== undefined && (await isAsIn(after, now.state, read))) return 'done';
  if (before === undefined || change.isStale) return 'other';
  return (await isAsBefore(before, now.state, read)) ? 'open' : 'other';
}

/** Whether it is the thing that it was. The time of a folder is that of the names in it, too. */
export function isUnchanged(before: FileState, now: FileState): boolean {
  if (before.kind !== now.kind || before.inode !== now.inode) return false;
  if (before.kind === 'folder') return true;
  return before.size === now.size && before.changedAt === now.changedAt;
}

async function isAsIn(after: FileState, now: FileState, read: Reading): Promise<boolean> {
  if (after.kind !== now.kind || after.size !== now.size) return false;
  if (after.kind === 'folder') return true;
  if (after.kind === 'link') return after.target === now.target;
  if (after.kind !== 'file') return false;
  const theirs = after.sha256 ?? (await read.ofLayer(after.size));
  return theirs !== undefined && theirs === (await read.ofProject(now.size));
}

async function isAsBefore(before: FileState, now: FileState, read: Reading): Promise<boolean> {
  if (before.kind !== now.kind || before.size !== now.size) return false;
  if (before.kind === 'folder') return true;
  if (before.kind === 'link') return before.target === now.target;
  return before.sha256 !== undefined && before.sha256 === (await read.ofProject(now.size));
}

/** Reads each side once at most. */
class Reading {
  readonly #now: Now;
  readonly #name: BytePath;
  #project: string | undefined;

  constructor(now: Now, name: BytePath) {
    this.#now = now;
    this.#name = name;
  }

  async ofProject(size: number): Promise<string | undefined> {
    this.#project ??= await sha256At(this.#now.folder, this.#name, size);
    return this.#project;
  }

  async ofLayer(size: number): Promise<string | undefined> {
    const { upper } = this.#now;
    return upper === undefined ? undefined : sha256At(upper, this.#name, size);
  }
}
