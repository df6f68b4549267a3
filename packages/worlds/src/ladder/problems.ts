import { chownSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isSublError } from '@subluminal/core-types';
import type { Launch } from '../enter/launch.js';
import { launchNamed } from '../named/launch-named.js';
import { tryLaunch } from './try-launch.js';

/** A program that is tried first if a weaker world would do. */
export const NOTHING = ['/bin/sh', '-c', ':'] as const;
/** An account that every machine has. */
const NOBODY = 65_534;

/** Why this machine starts no such program; undefined if it does. */
export async function problemOf(prepare: () => Launch): Promise<string | undefined> {
  try {
    return await tryLaunch(prepare());
  } catch (error) {
    if (isSublError(error) && error.code === 'not_available') return error.message.slice(0, 300);
    throw error;
  }
}

/**
 * Why this machine makes no world without namespaces; undefined if it does. Tried without a gateway: the
 * world connects to nothing.
 */
export async function namedProblem(): Promise<string | undefined> {
  const folder = mkdtempSync(join('/tmp', 'sub-doctor-'));
  const plain = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : undefined;
  if (plain !== undefined) chownSync(folder, plain.uid, plain.gid);
  try {
    return await problemOf(() =>
      launchNamed(
        { command: NOTHING, env: {}, signals: [] },
        {
          door: { port: 1, token: '', proof: '' },
          plain,
          folder,
          cwd: folder,
          programs: [],
          read: [],
          write: [],
          scratch: folder,
          bounds: { resources: [], groups: [] },
        },
      ),
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}
