import { closeSync, existsSync, fsyncSync, openSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { syncFolder, syncFolderAside } from './sync-folder.js';

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

/** The same without holding up this thread. */
export async function syncFileAside(path: string): Promise<void> {
  if (!existsSync(path)) return;
  const handle = await open(path, 'r+');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
  await syncFolderAside(dirname(path));
}
