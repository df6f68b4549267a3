import { basename, dirname } from 'node:path';
import { hasCode } from '@subluminal/ipc';
import { pathOfText } from '../files/byte-path.js';
import { Folder } from '../files/folder.js';
import type { LayerPlace } from '../layer/place.js';
import { removeTree } from './tree.js';

/**
 * Removes a whole layer, whatever a world has put there. The caller knows that no world has it. Nothing
 * happens where there is none. Throws the system's errors.
 */
export async function discardLayer({ folder }: LayerPlace): Promise<void> {
  let layers: Folder;
  try {
    layers = Folder.open(dirname(folder));
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return;
    throw error;
  }
  try {
    await removeTree(layers, pathOfText(basename(folder)));
  } finally {
    layers.close();
  }
}
