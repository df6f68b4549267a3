import { constants, lstatSync, mkdirSync, openSync, type Stats } from 'node:fs';
import { SublError } from '@subluminal/core-types';
import { hasCode } from './check.js';

/** Opens a file to append to, for its owner alone; never through a link. */
export function openToAppend(path: string): number {
  const { O_APPEND, O_CREAT, O_NOFOLLOW, O_RDWR } = constants;
  return openSync(path, O_RDWR | O_APPEND | O_CREAT | (O_NOFOLLOW ?? 0), 0o600);
}

/**
 * Checks one file of the home: absent, or a regular file of our user that nobody else can read or write.
 *
 * @throws SublError `home_unsafe`.
 */
export function assertPrivateFile(path: string): void {
  const stats = statOrNothing(path);
  if (stats === undefined) return;
  if (!stats.isFile()) throw unsafe(path, 'is not a regular file');
  assertPrivate(path, stats, 'chmod 600');
}

/**
 * Checks that a folder is ours alone, and makes it (0700) where it is missing.
 *
 * @throws SublError `home_unsafe`.
 */
export function assertPrivateFolder(path: string): void {
  let stats = statOrNothing(path);
  if (stats === undefined) {
    makePrivate(path);
    stats = lstatSync(path);
  }
  if (!stats.isDirectory()) throw unsafe(path, 'is not a folder');
  assertPrivate(path, stats, 'chmod 700');
}

function makePrivate(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another process of ours was faster, or somebody: what is there is judged.
    if (!hasCode(error, 'EEXIST')) throw error;
  }
}

function assertPrivate(path: string, stats: Stats, fix: string): void {
  const uid = process.getuid?.();
  // Windows has neither owner nor mode bits; the profile's access list stands in.
  if (uid === undefined) return;
  if (stats.uid !== uid) throw unsafe(path, 'belongs to another user');
  if ((stats.mode & 0o077) !== 0) {
    const mode = (stats.mode & 0o777).toString(8);
    throw unsafe(path, `has permissions ${mode}, which let others in`, `run \`${fix} ${path}\``);
  }
}

function statOrNothing(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false });
}

function unsafe(path: string, what: string, help = 'run `sub doctor` for what to do'): SublError {
  return new SublError('home_unsafe', `\`${path}\` ${what}`, { help });
}
