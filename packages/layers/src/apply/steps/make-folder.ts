import { fchmodSync, mkdirSync } from 'node:fs';
import { split } from '../../files/byte-path.js';
import type { Folder } from '../../files/folder.js';
import { freshName } from '../own-names.js';
import type { Doing, Numbered } from './doing.js';
import { groupBit } from './group-bit.js';
import { placeOrRemove } from './place.js';

/**
 * Makes a folder, or one in the place of something else. One that stands there already is taken as it is. It
 * has its owner and permissions before it has its name: after a kill nobody would give it those.
 */
export function makeFolder(doing: Doing, step: Numbered<'make_folder'>, folder: Folder): void {
  const { token, outcome, owner } = doing;
  const found = step.now === undefined ? folder.look(split(step.path).name) : undefined;
  if (found !== undefined) {
    if (found.isDirectory()) outcome.did(step.path);
    else outcome.leave(step.path, 'exists');
    return;
  }
  const fresh = freshName(token, step.number);
  mkdirSync(folder.at(fresh), 0o700);
  const made = folder.folder(fresh);
  try {
    owner.give(made.fd);
    fchmodSync(made.fd, step.mode | groupBit(made.stats));
  } finally {
    made.close();
  }
  placeOrRemove(doing, step, folder, fresh);
}
