import {
  closeSync,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { syncFolder } from '@subluminal/ipc';

/** How a file is put in its place. */
export interface Replacing {
  readonly bytes: Buffer;
  readonly mode: number;
  /** The owner that it must have; the writer where absent. */
  readonly owner?: { readonly uid: number; readonly gid: number };
  /** Asked when the draft is durable: whether it may take the place. */
  readonly mayReplace?: () => boolean;
}

/**
 * Puts bytes in the place of a file in one step, durable when this returns: a reader has the old ones or the
 * new. Tells whether it was done. Errors of the file system are thrown as they are, and leave no draft
 * behind.
 */
export function replaceFile(path: string, draft: string, replacing: Replacing): boolean {
  let file: number | undefined;
  let isDraft = false;
  try {
    file = openSync(draft, 'wx', 0o600);
    isDraft = true;
    writeFileSync(file, replacing.bytes);
    if (process.platform !== 'win32') own(file, replacing);
    fsyncSync(file);
    closeSync(file);
    file = undefined;
    if (replacing.mayReplace?.() === false) return false;
    renameSync(draft, path);
    isDraft = false;
    syncFolder(dirname(path));
    return true;
  } finally {
    if (file !== undefined) closeSync(file);
    if (isDraft) rmSync(draft, { force: true });
  }
}

function own(file: number, { owner, mode }: Replacing): void {
  const now = fstatSync(file);
  if (owner !== undefined && (owner.uid !== now.uid || owner.gid !== now.gid)) {
    try {
      fchownSync(file, owner.uid, owner.gid);
    } catch (error) {
      // A group that its owner is not in, and that may do nothing with the file, can be another one.
      if (owner.uid !== now.uid || (mode & 0o070) !== 0) throw error;
    }
  }
  fchmodSync(file, mode & 0o7777);
}
