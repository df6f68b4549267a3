import {
  type BigIntStats,
  chmodSync,
  closeSync,
  fchmodSync,
  fstatSync,
  linkSync,
  mkdirSync,
  renameSync,
  rmdirSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
} from 'node:fs';
import { hasCode } from '@subluminal/ipc';
import type { FileState } from '../diff/change.js';
import { type BytePath, split } from '../files/byte-path.js';
import type { Folder } from '../files/folder.js';
import { Folders } from '../files/folders.js';
import { kindOf } from '../files/state.js';
import { openPath, pathOf } from './by-descriptor.js';
import { type Copied, Copier } from './copy.js';
import { deniedBy, saysFull } from '../plan/denied.js';
import type { Conflict, ConflictKind } from '../plan/left.js';
import { asideName, freshName } from './own-names.js';
import { type Owner, ownerOf } from './owner.js';
import { isSame } from '../plan/standing.js';
import type { CommitStep } from '../plan/steps.js';
import { syncAll } from './sync.js';

/** A step, and its number in the plan. */
type Numbered<T extends CommitStep['does'] = CommitStep['does']> = Extract<
  CommitStep,
  { readonly does: T }
> & {
  readonly number: number;
};

/** A file whose copy stands in the project under a name of its own. */
interface Pending {
  readonly step: Numbered<'put_file'>;
  readonly folder: Folder;
  readonly copied: Copied;
}

interface BatchParts {
  readonly project: Folder;
  readonly upper: Folder;
  readonly token: string;
}

const NS_OF_S = 1e9;
const GROUP_BIT = 0o2000n;

/** Does steps in their order: files are copied first, and get their names together. */
export class Batch {
  readonly #parts: BatchParts;
  readonly #project: Folders;
  readonly #upper: Folders;
  readonly #copier = new Copier();
  readonly #done = new Set<BytePath>();
  readonly #conflicts: Conflict[] = [];
  /** Files with more than one name, of which this commit took one: that changed the time of the others. */
  readonly #shared = new Set<bigint>();
  /** The folders of what is pending, by their paths. */
  readonly #held = new Map<BytePath, Folder>();
  #pending: Pending[] = [];
  #reached = 0;
  #isFull = false;
  /** Of what is new. */
  readonly #owner: Owner;

  constructor(parts: BatchParts) {
    this.#parts = parts;
    this.#project = new Folders(parts.project);
    this.#upper = new Folders(parts.upper);
    this.#owner = ownerOf(parts.project, undefined);
  }

  get done(): readonly BytePath[] {
    return [...this.#done];
  }

  get conflicts(): readonly Conflict[] {
    return this.#conflicts;
  }

  get isFull(): boolean {
    return this.#isFull;
  }

  /** So many steps of the plan may have left a name. */
  get reached(): number {
    return this.#reached;
  }

  async take(step: Numbered): Promise<void> {
    this.#reached = step.number + 1;
    if (this.#isFull) {
      this.leave(step.path, 'not_reached');
      return;
    }
    try {
      if (step.does === 'put_file') {
        await this.#copy(step);
        return;
      }
      await this.finish();
      this.#do(step, this.#folderOf(step.path));
    } catch (error) {
      this.#failed(step.path, error);
    }
  }

  leave(path: BytePath, why: ConflictKind, system?: string): void {
    this.#done.delete(path);
    this.#conflicts.push({ path, why, ...(system === undefined ? {} : { system }) });
  }

  /** Gives the copies their names, once the disk has them. */
  async finish(): Promise<void> {
    const pending = this.#pending;
    if (pending.length > 0) {
      try {
        await syncAll(
          pending.map(({ copied }) => copied.fd),
          this.#parts.project,
        );
        this.#pending = [];
        for (const one of pending) this.#name(one);
      } catch (error) {
        if (!saysFull(error)) throw error;
        this.#isFull = true;
        this.drop();
        for (const { step } of pending) this.leave(step.path, 'not_reached');
      }
    }
    for (const folder of this.#held.values()) folder.close();
    this.#held.clear();
  }

  /** Forgets the copies that have no name yet, and removes them. */
  drop(): void {
    for (const { folder, step, copied } of this.#pending.splice(0)) {
      closeSync(copied.fd);
      unlinkIfThere(folder, freshName(this.#parts.token, step.number));
    }
  }

  close(): void {
    for (const { copied } of this.#pending.splice(0)) closeSync(copied.fd);
    for (const folder of this.#held.values()) folder.close();
    this.#held.clear();
    this.#project.close();
    this.#upper.close();
  }

  #folderOf(path: BytePath): Folder | undefined {
    return this.#project.at(split(path).folder);
  }

  /** A folder that stays open until the copies in it have their names. */
  #holdFolderOf(path: BytePath): Folder | undefined {
    const { folder } = split(path);
    const held = this.#held.get(folder) ?? this.#project.at(folder)?.again();
    if (held !== undefined) this.#held.set(folder, held);
    return held;
  }

  async #copy(step: Numbered<'put_file'>): Promise<void> {
    const { folder: above, name } = split(step.path);
    const folder = this.#holdFolderOf(step.path);
    const layer = this.#upper.at(above);
    if (folder === undefined || layer === undefined) {
      this.leave(step.path, folder === undefined ? 'parent' : 'layer_changed');
      return;
    }
    // A new one takes its name in the end, or finds that it is taken.
    const found = step.now === undefined ? undefined : folder.look(name);
    if (step.now !== undefined && (found === undefined || !this.#isLike(step.now, found))) {
      this.leave(step.path, found === undefined ? 'gone' : 'changed');
      return;
    }
    const copied = await this.#copier.copy({
      from: step.from,
      layer,
      name,
      project: folder,
      fresh: freshName(this.#parts.token, step.number),
      mode: step.mode,
      owner: step.now?.kind === 'file' ? ownerOf(this.#parts.project, found) : this.#owner,
    });
    if (copied === undefined) this.leave(step.path, 'layer_changed');
    else this.#pending.push({ step, folder, copied });
  }

  #name({ step, folder, copied }: Pending): void {
    const fresh = freshName(this.#parts.token, step.number);
    closeSync(copied.fd);
    try {
      if (folder.look(fresh)?.ino !== copied.inode) this.leave(step.path, 'changed');
      else if (!this.#place(step, folder, fresh)) unlinkIfThere(folder, fresh);
    } catch (error) {
      unlinkIfThere(folder, fresh);
      this.#failed(step.path, error);
    }
  }

  /** Gives the name of the step to what stands ready under another. False, and left, if that cannot be. */
  #place(step: Numbered<'put_file' | 'put_link' | 'make_folder'>, folder: Folder, fresh: BytePath): boolean {
    const { name } = split(step.path);
    if (step.now === undefined) {
      if (!takesName(folder, fresh, name)) {
        this.leave(step.path, 'exists');
        return false;
      }
    } else {
      const found = folder.look(name);
      if (found === undefined || !this.#isLike(step.now, found)) {
        this.leave(step.path, 'changed');
        return false;
      }
      if ((step.now.kind === 'folder') !== (step.does === 'make_folder')) {
        if (!this.#swap(step, folder, fresh)) return false;
      } else {
        this.#noteShared(found);
        renameSync(folder.at(fresh), folder.at(name));
      }
    }
    this.#done.add(step.path);
    return true;
  }

  /** A folder becomes something else, or something else a folder, for which the system has no one call. */
  #swap(step: Numbered, folder: Folder, fresh: BytePath): boolean {
    const { name } = split(step.path);
    const aside = asideName(this.#parts.token, step.number);
    renameSync(folder.at(name), folder.at(aside));
    const old = folder.look(aside);
    const isFolder = old?.isDirectory() === true;
    if (old?.ino !== step.now?.inode || (isFolder && !folder.isEmpty(aside))) {
      renameSync(folder.at(aside), folder.at(name));
      this.leave(step.path, isFolder ? 'holds_others' : 'changed');
      return false;
    }
    renameSync(folder.at(fresh), folder.at(name));
    if (isFolder) rmdirSync(folder.at(aside));
    else {
      this.#noteShared(old);
      unlinkSync(folder.at(aside));
    }
    return true;
  }

  #do(step: Exclude<Numbered, Numbered<'put_file'>>, folder: Folder | undefined): void {
    if (folder === undefined) {
      if (step.does === 'remove' || step.does === 'remove_folder') this.#done.add(step.path);
      else this.leave(step.path, 'parent');
      return;
    }
    switch (step.does) {
      case 'make_folder':
        this.#makeFolder(step, folder);
        return;
      case 'put_link':
        this.#putLink(step, folder);
        return;
      case 'set_mode':
      case 'set_time':
        this.#set(step, folder);
        return;
      case 'remove':
      case 'remove_folder':
        this.#remove(step, folder);
    }
  }

  #makeFolder(step: Numbered<'make_folder'>, folder: Folder): void {
    const { name } = split(step.path);
    const fresh = step.now === undefined ? name : freshName(this.#parts.token, step.number);
    try {
      mkdirSync(folder.at(fresh), 0o700);
    } catch (error) {
      if (step.now !== undefined || !hasCode(error, 'EEXIST')) throw error;
      if (folder.look(name)?.isDirectory() === true) this.#done.add(step.path);
      else this.leave(step.path, 'exists');
      return;
    }
    const made = folder.folder(fresh);
    try {
      this.#owner.give(made.fd);
      fchmodSync(made.fd, step.mode | Number(made.stats.mode & GROUP_BIT));
    } finally {
      made.close();
    }
    if (step.now === undefined) this.#done.add(step.path);
    else this.#placeOrRemove(step, folder, fresh);
  }

  #putLink(step: Numbered<'put_link'>, folder: Folder): void {
    const { name } = split(step.path);
    const fresh = step.now === undefined ? name : freshName(this.#parts.token, step.number);
    try {
      symlinkSync(Buffer.from(step.target, 'latin1'), folder.at(fresh));
    } catch (error) {
      if (step.now !== undefined || !hasCode(error, 'EEXIST')) throw error;
      this.leave(step.path, 'exists');
      return;
    }
    this.#owner.giveLink(folder.at(fresh));
    if (step.now === undefined) this.#done.add(step.path);
    else this.#placeOrRemove(step, folder, fresh);
  }

  #placeOrRemove(step: Numbered<'put_link' | 'make_folder'>, folder: Folder, fresh: BytePath): void {
    try {
      this.#place(step, folder, fresh);
    } finally {
      const left = folder.look(fresh);
      if (left?.isDirectory() === true) rmdirSync(folder.at(fresh));
      else if (left !== undefined) unlinkSync(folder.at(fresh));
    }
  }

  /** By a descriptor, so that what was looked at is what is changed. */
  #set(step: Numbered<'set_mode' | 'set_time'>, folder: Folder): void {
    const fd = openPath(folder, split(step.path).name);
    try {
      const stats = fstatSync(fd, { bigint: true });
      const isIt = step.now === undefined ? isPlain(stats) : this.#isLike(step.now, stats);
      if (!isIt) this.leave(step.path, 'changed');
      else {
        if (step.does === 'set_mode') chmodSync(pathOf(fd), step.mode | keptGroup(stats));
        else setTime(fd, step.modifiedAt);
        this.#done.add(step.path);
      }
    } finally {
      closeSync(fd);
    }
  }

  #remove(step: Numbered<'remove' | 'remove_folder'>, folder: Folder): void {
    const { name } = split(step.path);
    const found = folder.look(name);
    if (found === undefined) {
      this.#done.add(step.path);
      return;
    }
    if (step.now === undefined || !this.#isLike(step.now, found)) {
      this.leave(step.path, 'changed');
      return;
    }
    this.#noteShared(found);
    try {
      if (step.does === 'remove_folder') rmdirSync(folder.at(name));
      else unlinkSync(folder.at(name));
    } catch (error) {
      if (!hasCode(error, 'ENOTEMPTY', 'EEXIST')) throw error;
      this.leave(step.path, 'holds_others');
      return;
    }
    this.#done.add(step.path);
  }

  #isLike(planned: FileState, stats: BigIntStats): boolean {
    const now: FileState = {
      ...planned,
      kind: kindOf(stats),
      inode: stats.ino,
      size: stats.isFile() ? Number(stats.size) : 0,
      changedAt: stats.ctimeNs,
      modifiedAt: stats.mtimeNs,
    };
    return isSame(planned, now) || this.#isSharedSame(planned, now);
  }

  #isSharedSame(planned: FileState, now: FileState): boolean {
    const isIt = this.#shared.has(now.inode) && planned.inode === now.inode && planned.kind === now.kind;
    return isIt && planned.size === now.size && planned.modifiedAt === now.modifiedAt;
  }

  #noteShared(stats: BigIntStats | undefined): void {
    if (stats !== undefined && !stats.isDirectory() && stats.nlink > 1n) this.#shared.add(stats.ino);
  }

  #failed(path: BytePath, error: unknown): void {
    if (saysFull(error)) {
      this.#isFull = true;
      this.leave(path, 'not_reached');
      return;
    }
    const system = deniedBy(error);
    if (system === undefined) throw error;
    this.leave(path, 'denied', system);
  }
}

/** Takes a name that nothing has; false where something has it. */
function takesName(folder: Folder, fresh: BytePath, name: BytePath): boolean {
  try {
    linkSync(folder.at(fresh), folder.at(name));
    unlinkSync(folder.at(fresh));
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    // A file system without hard links.
    if (!hasCode(error, 'EPERM', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK')) throw error;
    if (folder.look(name) !== undefined) return false;
    renameSync(folder.at(fresh), folder.at(name));
    return true;
  }
}

function unlinkIfThere(folder: Folder, name: BytePath): void {
  const stats = folder.look(name);
  if (stats !== undefined && !stats.isDirectory()) unlinkSync(folder.at(name));
}

function isPlain(stats: BigIntStats): boolean {
  return stats.isFile() || stats.isDirectory();
}

/** The group that a folder gives to what is made in it. */
function keptGroup(stats: BigIntStats): number {
  return stats.isDirectory() ? Number(stats.mode & GROUP_BIT) : 0;
}

function setTime(fd: number, modifiedAt: bigint): void {
  const time = Number(modifiedAt) / NS_OF_S;
  utimesSync(pathOf(fd), time, time);
}
