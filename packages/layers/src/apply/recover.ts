import { renameSync, rmdirSync, unlinkSync } from 'node:fs';
import { SublError } from '@subluminal/core-types';
import { isAlive } from '@subluminal/ipc';
import { type BytePath, split } from '../files/byte-path.js';
import type { Folder } from '../files/folder.js';
import { Folders } from '../files/folders.js';
import { deniedBy } from '../plan/denied.js';
import { type Begun, readJournal } from './journal.js';
import { asideName, freshName } from './own-names.js';

/**
 * Brings a commit that was cut off to an end: each path of the project is then as it was, or as the layer has
 * it, and nothing of the commit's own is left. Tells whether there was one. Throws `usage` if the commit is
 * still going on, and the system's errors.
 */
export function recoverCommit(journal: string, project: Folder): boolean {
  const begun = readJournal(journal);
  if (begun === undefined) return false;
  if (begun !== 'empty') {
    if (isAlive(begun.holder))
      throw new SublError('usage', 'a commit of this layer is going on', { help: 'wait until it has ended' });
    clearAway(begun, project);
  }
  unlinkSync(journal);
  return true;
}

/** Finishes or undoes each step that is open. */
export function clearAway({ token, open }: Omit<Begun, 'holder'>, project: Folder): void {
  const folders = new Folders(project);
  try {
    for (const { number, path } of open) {
      const { folder, name } = split(path);
      const above = openOrDenied(folders, folder);
      if (above !== undefined)
        settle(above, { name, fresh: freshName(token, number), aside: asideName(token, number) });
    }
  } finally {
    folders.close();
  }
}

interface Names {
  readonly name: BytePath;
  readonly fresh: BytePath;
  readonly aside: BytePath;
}

function settle(folder: Folder, { name, fresh, aside }: Names): void {
  const old = folder.look(aside);
  if (old !== undefined && folder.look(name) === undefined) {
    const isWhole = folder.look(fresh) !== undefined && (!old.isDirectory() || folder.isEmpty(aside));
    renameSync(folder.at(isWhole ? fresh : aside), folder.at(name));
  }
  for (const left of [fresh, aside]) removeOne(folder, left);
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
