import { spawn } from 'node:child_process';
import { fsync } from 'node:fs';
import { promisify } from 'node:util';
import type { Folder } from '../files/folder.js';

const PERL = '/usr/bin/perl';
/** `syncfs(3)`, which Node has not. */
const PROGRAM = 'exit(syscall($ARGV[0], 3) == 0 ? 0 : 1)';
const SYNCFS = process.arch === 'arm64' ? '267' : '306';
/** So many files are written one by one; beyond that all of the file system costs less. */
const FEW = 16;

/** Has the disk take the bytes of these open files, which stand in the tree of that folder. */
export async function syncAll(files: readonly number[], folder: Folder): Promise<void> {
  if (files.length > FEW && (await syncsWhole(folder))) return;
  for (let at = 0; at < files.length; at += FEW)
    await Promise.all(files.slice(at, at + FEW).map((file) => promisify(fsync)(file)));
}

/** Has the disk take all that was done in the tree of that folder. */
export async function syncTree(folder: Folder): Promise<void> {
  if (!(await syncsWhole(folder))) await promisify(fsync)(folder.fd);
}

/** False where that cannot be done. */
function syncsWhole(folder: Folder): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(PERL, ['-e', PROGRAM, SYNCFS], {
      stdio: ['ignore', 'ignore', 'ignore', folder.fd],
      env: {},
    });
    child.once('error', () => resolve(false));
    child.once('close', (code) => resolve(code === 0));
  });
}
