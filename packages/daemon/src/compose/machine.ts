import { existsSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import type { ObjectParts } from '@subluminal/gateway';

/** This machine, as far as the paths of calls lead there. */
export function thisMachine(): ObjectParts {
  return { home: userInfo().homedir, tmp: tmpdir(), exists: existsSync, resolve };
}

const NOTHING_THERE: ReadonlySet<unknown> = new Set(['ENOENT', 'ENOTDIR', 'ENAMETOOLONG', 'EACCES']);

/** Undefined for what is not there, or may not be looked at: the folder above it is asked then. */
async function resolve(path: string): Promise<string | undefined> {
  try {
    return await realpath(path);
  } catch (error) {
    if (error instanceof Error && 'code' in error && NOTHING_THERE.has(error.code)) return undefined;
    throw error;
  }
}
