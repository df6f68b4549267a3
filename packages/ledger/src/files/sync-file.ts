import { closeSync, existsSync, fsyncSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { syncFolder } from './sync-folder.js';

/** Makes a file, its name included, survive power loss. One that is not there has nothing to lose. */
export function syncFile(path: string): void {
  if (!existsSync(path)) return;
  const handle = openSync(path, 'r+');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  syncFolder(dirname(path));
}
