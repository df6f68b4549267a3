import { renameSync, rmdirSync, unlinkSync } from 'node:fs';
import { type BytePath, joined, split } from '../../files/byte-path.js';
import type { Folder } from '../../files/folder.js';
import { asideName, unplacedName } from '../own-names.js';
import { takesName } from '../take-name.js';
import type { Doing, Numbered } from './doing.js';

type Placed = Numbered<'put_file' | 'put_link' | 'make_folder'>;

/**
 * Gives the name of a step to what stands ready as `fresh` in the same folder. False, and left, if something
 * else has that name meanwhile: then the fresh one is still there.
 */
export function place(doing: Doing, step: Placed, folder: Folder, fresh: BytePath): boolean {
  const { outcome, planned } = doing;
  const { name } = split(step.path);
  if (step.now === undefined) {
    if (!takesName(folder, fresh, name)) {
      outcome.leave(step.path, 'exists');
      return false;
    }
  } else {
    const found = folder.look(name);
    if (found === undefined || !planned.isStill(step.now, found)) {
      outcome.leave(step.path, 'changed');
      return false;
    }
    if ((step.now.kind === 'folder') !== (step.does === 'make_folder')) {
      if (!swap(doing, step, folder, fresh)) return false;
    } else {
      planned.taken(found);
      renameSync(folder.at(fresh), folder.at(name));
    }
  }
  outcome.did(step.path);
  return true;
}

/** The same, and what is not placed is removed. */
export function placeOrRemove(
  doing: Doing,
  step: Numbered<'put_link' | 'make_folder'>,
  folder: Folder,
  fresh: BytePath,
): void {
  try {
    place(doing, step, folder, fresh);
  } finally {
    const left = folder.look(fresh);
    if (left?.isDirectory() === true) rmdirSync(folder.at(fresh));
    else if (left !== undefined) unlinkSync(folder.at(fresh));
  }
}

/**
 * A folder becomes something else, or something else a folder, for which the system has no one call. Between
 * the two that it takes somebody may give the name to a thing of their own: that stays, and so does what was
 * there, which is told.
 */
function swap(doing: Doing, step: Placed, folder: Folder, fresh: BytePath): boolean {
  const { token, outcome, planned } = doing;
  const { name } = split(step.path);
  const aside = asideName(token, step.number);
  renameSync(folder.at(name), folder.at(aside));
  let isPlaced = false;
  try {
    const old = folder.look(aside);
    const isFolder = old?.isDirectory() === true;
    const isIt = old !== undefined && old.ino === step.now?.inode && (!isFolder || folder.isEmpty(aside));
    isPlaced = isIt && takesName(folder, fresh, name);
    if (isPlaced && old !== undefined) {
      planned.taken(old);
      removeAside(folder, aside, isFolder);
      return true;
    }
    const why = isIt ? 'exists' : isFolder ? 'holds_others' : 'changed';
    outcome.leave(step.path, why, { aside: putBack(doing, step, folder) });
  } catch (error) {
    // No recovery looks for it once the journal is shut: away from its name nobody would find it.
    outcome.fail(step.path, error, isPlaced ? keep(doing, step, folder) : putBack(doing, step, folder));
  }
  return isPlaced;
}

/** Puts back what was set aside. Gives its path if somebody else has its name now; undefined: it is back. */
function putBack({ token }: Doing, { path, number }: Placed, folder: Folder): BytePath | undefined {
  const aside = asideName(token, number);
  const old = folder.look(aside);
  if (old === undefined || takesName(folder, aside, split(path).name)) return undefined;
  if (old.isDirectory() && folder.isEmpty(aside)) {
    rmdirSync(folder.at(aside));
    return undefined;
  }
  return keep({ token }, { path, number }, folder);
}

/** Gives what was set aside a name that stays, and says which; undefined: nothing is there. */
function keep(
  { token }: Pick<Doing, 'token'>,
  { path, number }: Pick<Placed, 'number' | 'path'>,
  folder: Folder,
): BytePath | undefined {
  const aside = asideName(token, number);
  if (folder.look(aside) === undefined) return undefined;
  const unplaced = unplacedName(token, number);
  renameSync(folder.at(aside), folder.at(unplaced));
  return joined(split(path).folder, unplaced);
}

function removeAside(folder: Folder, aside: BytePath, isFolder: boolean): void {
  if (isFolder) rmdirSync(folder.at(aside));
  else unlinkSync(folder.at(aside));
}
