import { linkSync, renameSync, rmdirSync, unlinkSync } from 'node:fs';
import { hasCode } from '@subluminal/ipc';
import { type BytePath, split } from '../../files/byte-path.js';
import type { Folder } from '../../files/folder.js';
import { asideName } from '../own-names.js';
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
    const isTaken =
      step.does === 'make_folder' ? folderTakesName(folder, fresh, name) : takesName(folder, fresh, name);
    if (!isTaken) {
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

/** A folder becomes something else, or something else a folder, for which the system has no one call. */
function swap({ token, outcome, planned }: Doing, step: Placed, folder: Folder, fresh: BytePath): boolean {
  const { name } = split(step.path);
  const aside = asideName(token, step.number);
  renameSync(folder.at(name), folder.at(aside));
  const old = folder.look(aside);
  const isFolder = old?.isDirectory() === true;
  if (old === undefined || old.ino !== step.now?.inode || (isFolder && !folder.isEmpty(aside))) {
    renameSync(folder.at(aside), folder.at(name));
    outcome.leave(step.path, isFolder ? 'holds_others' : 'changed');
    return false;
  }
  renameSync(folder.at(fresh), folder.at(name));
  if (isFolder) rmdirSync(folder.at(aside));
  else {
    planned.taken(old);
    unlinkSync(folder.at(aside));
  }
  return true;
}

/** The same for a folder, which has one name: an empty one that comes meanwhile is the same to everybody. */
function folderTakesName(folder: Folder, fresh: BytePath, name: BytePath): boolean {
  try {
    renameSync(folder.at(fresh), folder.at(name));
    return true;
  } catch (error) {
    if (hasCode(error, 'ENOTDIR', 'ENOTEMPTY', 'EEXIST')) return false;
    throw error;
  }
}

/** Takes a name that nothing has; false if something has it. */
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
