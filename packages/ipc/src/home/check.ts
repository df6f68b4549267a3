import { statSync, type Stats } from 'node:fs';
import { isSublError, SublError } from '@subluminal/core-types';
import type { HomePaths } from './paths.js';

/**
 * The longest socket path: Node silently cuts longer ones and would talk to another file. ARCHITECTURE.md,
 * "The socket".
 */
const MAX_SOCKET_PATH_BYTES = 100;

/**
 * `path_too_long` when the system would not take the socket's path as it is. Pipe names have no such limit.
 */
export function assertSocketPath(path: string, platform: NodeJS.Platform = process.platform): void {
  if (platform === 'win32') return;
  const bytes = Buffer.byteLength(path);
  if (bytes <= MAX_SOCKET_PATH_BYTES) return;
  throw new SublError(
    'path_too_long',
    `the socket path \`${path}\` has ${bytes} bytes, over the limit of ${MAX_SOCKET_PATH_BYTES}`,
    { help: 'choose a home with a shorter path' },
  );
}

/**
 * Tells whether the home is there, and throws `home_unsafe` when it is but is not a folder of ours alone:
 * whoever can write in it could put another socket and other keys there.
 */
export function homeExists(paths: HomePaths): boolean {
  let stats: Stats;
  try {
    stats = statSync(paths.home);
  } catch (error) {
    if (isMissing(error)) return false;
    throw unsafe(paths.home, 'cannot be read', error);
  }
  if (!stats.isDirectory()) throw unsafe(paths.home, 'is not a folder');
  assertOurs(paths.home, stats, 0o022);
  return true;
}

/** As `homeExists`, with `home_missing` for a home that is not there. */
export function assertHome(paths: HomePaths): void {
  if (homeExists(paths)) return;
  throw new SublError('home_missing', `there is no home at \`${paths.home}\``, {
    help: 'run `sub init` to create one, or `sub up` alone',
  });
}

/**
 * `home_unsafe` unless the file is owned by our user and has none of the permission bits in `forbidden`.
 * Windows has neither; there the access list of the user's profile stands in.
 */
export function assertOurs(path: string, stats: Stats, forbidden: number): void {
  const uid = process.getuid?.();
  if (uid === undefined) return;
  if (stats.uid !== uid) throw foreign(path);
  if ((stats.mode & forbidden) !== 0) {
    throw unsafe(path, `has permissions ${(stats.mode & 0o777).toString(8)}, which are too wide`);
  }
}

function foreign(path: string): SublError {
  return new SublError('home_unsafe', `\`${path}\` belongs to another user`, {
    help: 'run this as that user, or name a home of your own with `--home`',
  });
}

/** Tells whether a file system error says that the file, or a folder above it, is not there. */
export function isMissing(error: unknown): boolean {
  return hasCode(error, 'ENOENT', 'ENOTDIR');
}

/** Tells whether a system error has one of these codes. */
export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return (
    error instanceof Error &&
    !isSublError(error) &&
    'code' in error &&
    typeof error.code === 'string' &&
    codes.includes(error.code)
  );
}

/** The error for a file or folder of the home that others could have touched. */
export function unsafe(path: string, what: string, cause?: unknown): SublError {
  return new SublError('home_unsafe', `\`${path}\` ${what}`, {
    help: 'run `sub doctor` for what to do',
    ...(cause === undefined ? {} : { cause }),
  });
}
