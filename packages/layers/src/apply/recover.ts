import { renameSync, rmdirSync, unlinkSync } from 'node:fs';
import { SublError } from '@subluminal/core-types';
import { isAlive } from '@subluminal/ipc';
import { type BytePath, joined, split } from '../files/byte-path.js';
import type { Folder } from '../files/folder.js';
import { Folders } from '../files/folders.js';
import { deniedBy } from '../plan/denied.js';
import { type Begun, readJournal } from './journal.js';
import { asideName, freshName, unplacedName } from './own-names.js';
import { takesName } from './take-name.js';

/** A thing of the project that a commit had set aside, and whose name somebody else has taken since. */
export interface SetAside {
  /** Its path before the commit. */
  readonly path: BytePath;
  /** Its path now. */
  readonly at: BytePath;
}

/**
 * Brings a commit that was cut off to an end: each path of the project is then as it was, or as the layer has
 * it, and nothing of the commit's own is left. Gives what could not be put back; undefined: there was no
 * commit. Throws `usage` if the commit is still going on, and the system's errors.
 */
export function recoverCommit(journal: string, project: Folder): readonly SetAside[] | undefined {
  const begun = readJournal(journal);
  if (begun === undefined) return undefined;
  if (begun !== 'empty' && isAlive(begun.holder))
    throw new SublError('usage', 'a commit of this layer is going on', { help: 'wait until it has ended' });
  const unplaced = begun === 'empty' ? [] : clearAway(begun, project);
  unlinkSync(journal);
  return unplaced;
}

/** The names under which things of a project may stand that a commit which was cut off had set aside. */
export function mayBeAside(journal: string): readonly SetAside[] {
  const begun = readJournal(journal);
  if (begun === undefined || begun === 'empty') return [];
  return begun.open.map(({ number, path }) => ({
    path,
    at: joined(split(path).folder, asideName(begun.token, number)),
  }));
}

/** Finishes or undoes each step that is open. Gives what could not be put back. */
export function clearAway({ token, open }: Omit<Begun, 'holder'>, project: Folder): readonly SetAside[] {
  const folders = new Folders(project);
  const unplaced: SetAside[] = [];
  try {
    for (const { number, path } of open) {
      const { folder, name } = split(path);
      const above = openOrDenied(folders, folder);
      if (above === undefined) continue;
      const fresh = freshName(token, number);
      const at = endStep(above, {
        name,
        fresh,
        aside: asideName(token, number),
        unplaced: unplacedName(token, number),
      });
      if (at !== undefined) unplaced.push({ path, at: joined(folder, at) });
    }
    return unplaced;
  } finally {
    folders.close();
  }
}

interface Names {
  readonly name: BytePath;
  readonly fresh: BytePath;
  readonly aside: BytePath;
  readonly unplaced: BytePath;
}

/** Gives the name under which something is that was set aside, and cannot go where it belongs. */
function endStep(folder: Folder, names: Names): BytePath | undefined {
  const { name, fresh, aside, unplaced } = names;
  const old = folder.look(aside);
  if (old !== undefined && !isPlaced(folder, names)) {
    const isWhole = folder.look(fresh) !== undefined && (!old.isDirectory() || folder.isEmpty(aside));
    const isBack = takesName(folder, isWhole ? fresh : aside, name);
    if (!isBack && !(old.isDirectory() && folder.isEmpty(aside)))
      renameSync(folder.at(aside), folder.at(unplaced));
  }
  for (const left of [fresh, aside]) removeOne(folder, left);
  return [unplaced, aside].find((one) => folder.look(one) !== undefined);
}

/** Whether the name is that of the step's own thing. A file takes its name by having two for a moment. */
function isPlaced(folder: Folder, { name, fresh }: Names): boolean {
  const [there, own] = [folder.look(name), folder.look(fresh)];
  return there !== undefined && (own === undefined || own.ino === there.ino);
}

/** A folder that somebody has put something into stays. */
function removeOne(folder: Folder, name: BytePath): void {
  const stats = folder.look(name);
  if (stats === undefined) return;
  if (!stats.isDirectory()) unlinkSync(folder.at(name));
  else if (folder.isEmpty(name)) rmdirSync(folder.at(name));
}

/** A folder that nobody may enter now: the commit could not, either. */
function openOrDenied(folders: Folders, path: BytePath): Folder | undefined {
  try {
    return folders.at(path);
  } catch (error) {
    if (deniedBy(error) === undefined) throw error;
    return undefined;
  }
}
