import { symlinkSync } from 'node:fs';
import { bytesOf } from '../../files/byte-path.js';
import type { Folder } from '../../files/folder.js';
import { freshName } from '../own-names.js';
import type { Doing, Numbered } from './doing.js';
import { placeOrRemove } from './place.js';

/** Makes a symbolic link, or one in the place of something else. It has its owner before its name. */
export function putLink(doing: Doing, step: Numbered<'put_link'>, folder: Folder): void {
  const fresh = freshName(doing.token, step.number);
  symlinkSync(bytesOf(step.target), folder.at(fresh));
  doing.owner.giveLink(folder.at(fresh));
  placeOrRemove(doing, step, folder, fresh);
}
