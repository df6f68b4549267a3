import { type BytePath, split } from '../files/byte-path.js';
import type { Folder } from '../files/folder.js';
import { Folders } from '../files/folders.js';
import { Copies } from './copies.js';
import { Outcome } from './outcome.js';
import { ownerOf } from './owner.js';
import { Planned } from './planned.js';
import type { Doing, Numbered } from './steps/doing.js';
import { makeFolder } from './steps/make-folder.js';
import { putLink } from './steps/put-link.js';
import { remove } from './steps/remove.js';
import { setAbout } from './steps/set-about.js';
import { Disk } from './sync.js';

interface DoerParts {
  readonly project: Folder;
  readonly upper: Folder;
  readonly token: string;
}

/** Does steps in their order: all but files at once, and before any of those the files that wait. */
export class Doer {
  readonly outcome = new Outcome();
  readonly disk: Disk;
  readonly #doing: Doing;
  readonly #project: Folders;
  readonly #copies: Copies;
  #reached = 0;

  constructor({ project, upper, token }: DoerParts) {
    this.disk = new Disk(project);
    this.#project = new Folders(project);
    this.#doing = {
      token,
      outcome: this.outcome,
      planned: new Planned(),
      owner: ownerOf(project, undefined),
    };
    this.#copies = new Copies(this.#doing, { project, upper, disk: this.disk });
  }

  /** So many steps of the plan may have left a name. */
  get reached(): number {
    return this.#reached;
  }

  async take(step: Numbered): Promise<void> {
    this.#reached = step.number + 1;
    if (this.outcome.isFull) {
      this.outcome.leave(step.path, 'not_reached');
      return;
    }
    try {
      if (step.does === 'put_file') {
        await this.#copies.add(step);
        return;
      }
      await this.#copies.finish();
      if (!this.outcome.hasLeft(step.path)) this.#do(step, this.#folderOf(step.path));
    } catch (error) {
      this.outcome.fail(step.path, error);
    }
  }

  /** Gives all files their names. */
  finish(): Promise<void> {
    return this.#copies.finish();
  }

  /** Removes the files that have no name yet. */
  drop(): void {
    this.#copies.drop();
  }

  close(): void {
    this.#copies.close();
    this.#project.close();
    this.disk.close();
  }

  #folderOf(path: BytePath): Folder | undefined {
    return this.#project.at(split(path).folder);
  }

  #do(step: Exclude<Numbered, Numbered<'put_file'>>, folder: Folder | undefined): void {
    if (folder === undefined) {
      if (step.does === 'remove' || step.does === 'remove_folder') this.outcome.did(step.path);
      else this.outcome.leave(step.path, 'parent');
      return;
    }
    switch (step.does) {
      case 'make_folder':
        makeFolder(this.#doing, step, folder);
        this.#project.forgetAbsent();
        this.#copies.forgetAbsent();
        return;
      case 'put_link':
        putLink(this.#doing, step, folder);
        return;
      case 'set_mode':
      case 'set_time':
        setAbout(this.#doing, step, folder);
        return;
      case 'remove':
      case 'remove_folder':
        remove(this.#doing, step, folder);
    }
  }
}
