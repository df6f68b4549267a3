import { closeSync, fsyncSync, openSync } from 'node:fs';

/** Makes what a folder names durable. Windows has no such thing. */
export function syncFolder(path: string): void {
  if (process.platform === 'win32') return;
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
