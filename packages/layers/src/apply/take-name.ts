import { linkSync, renameSync, unlinkSync } from 'node:fs';
import { hasCode } from '@subluminal/ipc';
import type { BytePath } from '../files/byte-path.js';
import type { Folder } from '../files/folder.js';

/**
 * Gives a thing of a folder a name there that nothing has. False if something has it: then both stay as they
 * are. Throws the system's other errors.
 */
export function takesName(folder: Folder, from: BytePath, name: BytePath): boolean {
  return folder.look(from)?.isDirectory() === true
    ? folderTakesName(folder, from, name)
    : fileTakesName(folder, from, name);
}

/** A folder has one name alone: an empty one that comes meanwhile is the same to everybody. */
function folderTakesName(folder: Folder, from: BytePath, name: BytePath): boolean {
  try {
    renameSync(folder.at(from), folder.at(name));
    return true;
  } catch (error) {
    if (hasCode(error, 'ENOTDIR', 'ENOTEMPTY', 'EEXIST')) return false;
    throw error;
  }
}

function fileTakesName(folder: Folder, from: BytePath, name: BytePath): boolean {
  try {
    linkSync(folder.at(from), folder.at(name));
    unlinkSync(folder.at(from));
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    // A file system without hard links.
    if (!hasCode(error, 'EPERM', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK')) throw error;
    if (folder.look(name) !== undefined) return false;
    renameSync(folder.at(from), folder.at(name));
    return true;
  }
}
