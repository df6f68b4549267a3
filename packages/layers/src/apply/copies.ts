import { closeSync, unlinkSync } from 'node:fs';
import { type BytePath, split } from '../files/byte-path.js';
import type { Folder } from '../files/folder.js';
import { Folders } from '../files/folders.js';
import { saysFull } from '../plan/denied.js';
import { type Copied, Copier } from './copy.js';
import { freshName } from './own-names.js';
import { ownerOf } from './owner.js';
import type { Doing, Numbered } from './steps/doing.js';
import { place } from './steps/place.js';
import type { Disk } from './sync.js';

/** A file whose copy stands in the project under a name of its own. */
interface Pending {
  readonly step: Numbered<'put_file'>;
  readonly folder: Folder;
  readonly copied: Copied;
}

/** Both sides, open, and the disk of the project. */
export interface CopiesParts {
  readonly project: Folder;
  readonly upper: Folder;
  readonly disk: Disk;
}

/** Files are copied one after the other, and get their names together, once the disk has all of them. */
export class Copies {
  readonly #doing: Doing;
  readonly #parts: CopiesParts;
  readonly #project: Folders;
  readonly #upper: Folders;
  readonly #copier = new Copier();
  /** The folders of what is pending, by their paths. */
  readonly #held = new Map<BytePath, Folder>();
  #pending: Pending[] = [];

  constructor(doing: Doing, parts: CopiesParts) {
    this.#doing = doing;
    this.#parts = parts;
    this.#project = new Folders(parts.project);
    this.#upper = new Folders(parts.upper);
  }

  /** Copies a file. Throws the system's errors; then there is no copy. */
  async add(step: Numbered<'put_file'>): Promise<void> {
    const { outcome, planned, token, owner } = this.#doing;
    const { folder: above, name } = split(step.path);
    const folder = this.#hold(above);
    const layer = this.#upper.at(above);
    if (folder === undefined || layer === undefined) {
      outcome.leave(step.path, folder === undefined ? 'parent' : 'layer_changed');
      return;
    }
    // A new one takes its name in the end, or finds that it is taken.
    const found = step.now === undefined ? undefined : folder.look(name);
    if (step.now !== undefined && (found === undefined || !planned.isStill(step.now, found))) {
      outcome.leave(step.path, found === undefined ? 'gone' : 'changed');
      return;
    }
    const copied = await this.#copier.copy({
      from: step.from,
      layer,
      name,
      project: folder,
      fresh: freshName(token, step.number),
      mode: step.mode,
      owner: step.now?.kind === 'file' ? ownerOf(this.#parts.project, found) : owner,
    });
    if (copied === undefined) outcome.leave(step.path, 'layer_changed');
    else this.#pending.push({ step, folder, copied });
  }

  /** Gives the copies their names. */
  async finish(): Promise<void> {
    const pending = this.#pending;
    if (pending.length > 0) {
      try {
        await this.#parts.disk.take(pending.map(({ copied }) => copied.fd));
        this.#pending = [];
        for (const one of pending) this.#name(one);
      } catch (error) {
        if (!saysFull(error)) throw error;
        this.#doing.outcome.fill();
        this.drop();
        for (const { step } of pending) this.#doing.outcome.leave(step.path, 'not_reached');
      }
    }
    this.#letGo();
  }

  /** A folder was made in the project. */
  forgetAbsent(): void {
    this.#project.forgetAbsent();
  }

  /** Forgets the copies that have no name yet, and removes them. */
  drop(): void {
    for (const { folder, step, copied } of this.#pending.splice(0)) {
      closeSync(copied.fd);
      unlinkIfThere(folder, freshName(this.#doing.token, step.number));
    }
  }

  close(): void {
    for (const { copied } of this.#pending.splice(0)) closeSync(copied.fd);
    this.#letGo();
    this.#project.close();
    this.#upper.close();
  }

  /** A folder that stays open until the copies in it have their names. */
  #hold(path: BytePath): Folder | undefined {
    const held = this.#held.get(path) ?? this.#project.at(path)?.again();
    if (held !== undefined) this.#held.set(path, held);
    return held;
  }

  #letGo(): void {
    for (const folder of this.#held.values()) folder.close();
    this.#held.clear();
  }

  #name({ step, folder, copied }: Pending): void {
    const fresh = freshName(this.#doing.token, step.number);
    closeSync(copied.fd);
    try {
      if (folder.look(fresh)?.ino !== copied.inode) this.#doing.outcome.leave(step.path, 'changed');
      else if (!place(this.#doing, step, folder, fresh)) unlinkIfThere(folder, fresh);
    } catch (error) {
      unlinkIfThere(folder, fresh);
      this.#doing.outcome.fail(step.path, error);
    }
  }
}

function unlinkIfThere(folder: Folder, name: BytePath): void {
  const stats = folder.look(name);
  if (stats !== undefined && !stats.isDirectory()) unlinkSync(folder.at(name));
}
