import { rmdirSync, unlinkSync } from 'node:fs';
import { hasCode } from '@subluminal/ipc';
import { split } from '../../files/byte-path.js';
import type { Folder } from '../../files/folder.js';
import type { Doing, Numbered } from './doing.js';

/** Removes what is still as it was planned with; a folder only if nothing stands in it. */
export function remove(
  { outcome, planned }: Doing,
  step: Numbered<'remove' | 'remove_folder'>,
  folder: Folder,
): void {
  const { name } = split(step.path);
  const found = folder.look(name);
  if (found === undefined) {
    outcome.did(step.path);
    return;
  }
  if (step.now === undefined || !planned.isStill(step.now, found)) {
    outcome.leave(step.path, 'changed');
    return;
  }
  planned.taken(found);
  try {
    if (step.does === 'remove_folder') rmdirSync(folder.at(name));
    else unlinkSync(folder.at(name));
  } catch (error) {
    if (!hasCode(error, 'ENOTEMPTY', 'EEXIST')) throw error;
    outcome.leave(step.path, 'holds_others');
    return;
  }
  outcome.did(step.path);
}
