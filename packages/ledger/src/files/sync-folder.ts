import { closeSync, fsyncSync, openSync } from 'node:fs';

/** Makes a new name in a folder survive power loss. */
export function syncFolder(folder: string): void {
  // Windows has no handle on a folder to flush; NTFS journals names by itself.
  if (process.platform === 'win32') return;
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
