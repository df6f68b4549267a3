import { closeSync, fsyncSync, linkSync, openSync, renameSync, unlinkSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Writes a private file (0600) whole or not at all: a draft beside it is synced, then takes its name. With
 * `exclusive` an existing file stands and the call fails with the system's EEXIST.
 */
export function writePrivateFile(
  path: string,
  text: string,
  options: { readonly exclusive?: boolean } = {},
): void {
  const draft = `${path}.new-${process.pid}`;
  const file = openSync(draft, 'w', 0o600);
  try {
    // All of it: the system may take a part.
    writeFileSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  if (options.exclusive === true) {
    try {
      linkSync(draft, path);
    } finally {
      unlinkSync(draft);
    }
  } else {
    renameSync(draft, path);
  }
  syncFolder(dirname(path));
}

/** Makes a rename or link in a folder survive power loss. Windows cannot open folders and does without. */
function syncFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
