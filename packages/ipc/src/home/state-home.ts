import { writeFileSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { SublError } from '@subluminal/core-types';
import { readOwnText } from './own-file.js';
import type { HomePaths } from './paths.js';

const MAX_BYTES = 8192;
const PRIVATE_BITS = 0o077;

/**
 * The state folder of the person who made the home, where that is not the usual one. A gateway that a shim
 * starts knows nothing of that person's environment, and so writes the same memory.
 *
 * @throws SublError `config_invalid` where the file holds no absolute path, and those of `readOwnText`.
 */
export function readStateHome({ stateHome }: HomePaths): string | undefined {
  const text = readOwnText(stateHome, { maxBytes: MAX_BYTES, forbidden: PRIVATE_BITS });
  if (text === undefined) return undefined;
  const folder = text.replace(/\n$/, '');
  if (isAbsolute(folder) && !/[\0\n]/.test(folder)) return folder;
  throw new SublError('config_invalid', `\`${stateHome}\` does not hold an absolute path`, {
    help: 'write the folder into it in which `subluminal/` stands, as one line',
  });
}

/** Remembers it in a home that is new. */
export function writeStateHome({ stateHome }: HomePaths, folder: string): void {
  writeFileSync(stateHome, `${folder}\n`, { mode: 0o600, flag: 'wx' });
}
