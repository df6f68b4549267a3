import { opendirSync, rmdirSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { isSublError, MAX_SPOOL_BYTES, type ProcessIdentity } from '@subluminal/core-types';
import { hasCode, isAlive, readOwnText } from '@subluminal/ipc';

/** Files of one run that are looked at; a shim begins no spool where as many lie. */
const MAX_FILES = 64;
const MAX_RUNS = 4096;
/**
 * Names that are read of a folder for each that is looked for: any process of the user can put others there.
 */
const NAMES_EACH = 4;
const RUN_ID = /^[A-Za-z0-9_-]{8,64}$/;
const NAME = /^([A-Za-z0-9_-]{22})\.(\d{1,10})-(\d{1,20})$/;

/** A spool that lies in the home. */
export interface FoundSpool {
  readonly id: string;
  readonly path: string;
  /** Who wrote it, as its name says. */
  readonly owner: ProcessIdentity;
  /** The process that wrote it, as its name says, is gone. Looked at when it is asked. */
  isOrphan(): boolean;
}

/** `run/away/<run id>/<snapshot id>.<pid>-<start>`: what shims wrote while no gateway answered. */
export class SpoolFolder {
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
  }

  /** Ids of runs that have a folder, at most as many as are looked at in one start. */
  runs(): readonly string[] {
    return names(this.#root, RUN_ID, MAX_RUNS);
  }

  /**
   * The spools of a run, by their names, at most as many as a run may have. Anything else that lies there is
   * none.
   */
  of(runId: string): readonly FoundSpool[] {
    const folder = join(this.#root, runId);
    return names(folder, NAME, MAX_FILES).flatMap((name): FoundSpool[] => {
      const [, id, pid, start] = NAME.exec(name) ?? [];
      if (id === undefined || pid === undefined || start === undefined) return [];
      const owner = { pid: Number(pid), start };
      return [{ id, path: join(folder, name), owner, isOrphan: () => !isAlive(owner) }];
    });
  }

  /** The text of a spool; undefined where it is gone, or is not a private file of ours. */
  read(path: string): string | undefined {
    try {
      return readOwnText(path, { maxBytes: MAX_SPOOL_BYTES, forbidden: 0o077 });
    } catch (error) {
      if (isSublError(error)) return undefined;
      throw error;
    }
  }

  /** Removes a spool, and its folder with the last one. */
  remove(path: string): void {
    ignoring(() => unlinkSync(path));
  }

  /** Removes the folder of a run that is over, where nothing is left in it. */
  removeFolder(runId: string): void {
    ignoring(() => rmdirSync(join(this.#root, runId)));
  }
}

/** At most `max` names that fit, of the first names of a folder. */
function names(folder: string, form: RegExp, max: number): readonly string[] {
  const found: string[] = [];
  try {
    const handle = opendirSync(folder);
    try {
      for (let read = 0; read < NAMES_EACH * max && found.length < max; read += 1) {
        const entry = handle.readSync();
        if (entry === null) break;
        if (form.test(entry.name)) found.push(entry.name);
      }
    } finally {
      handle.closeSync();
    }
  } catch (error) {
    if (!hasCode(error, 'ENOENT', 'ENOTDIR')) throw error;
  }
  return found.toSorted();
}

function ignoring(act: () => void): void {
  try {
    act();
  } catch (error) {
    if (!hasCode(error, 'ENOENT', 'ENOTEMPTY', 'ENOTDIR', 'EISDIR', 'EPERM', 'EACCES')) throw error;
  }
}
