import { lstatSync, mkdirSync, type Stats } from 'node:fs';
import { SublError } from '@subluminal/core-types';
import { assertHome, assertSocketPath, type HomePaths } from '@subluminal/ipc';

/** What the gateway itself puts into a home; each is checked before it is opened, where it is there. */
const FILES = [
  'ledgerDb',
  'gatewayDb',
  'operatorKey',
  'enrolKey',
  'logKey',
  'sealKey',
  'gatewayLog',
  'gatewayFile',
] as const;
const FOLDERS = ['keysDir', 'runDir', 'ticketsDir', 'awayDir', 'logsDir'] as const;

/**
 * Checks that a home can be trusted and makes the folders in it that are missing (0700). The home itself is never
 * created: who starts a gateway decides where. ARCHITECTURE.md, "Keys, credentials, runs".
 *
 * @throws SublError `path_too_long`, `home_missing`, `home_unsafe`.
 */
export function prepareHome(paths: HomePaths): void {
  assertSocketPath(paths.socket);
  assertHome(paths);
  for (const name of FOLDERS) assertPrivateFolder(paths[name]);
  for (const name of FILES) assertPrivateFile(paths[name]);
  assertPrivateFile(`${paths.sealKey}.next`);
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
    mkdirSync(path, { mode: 0o700 });
    stats = lstatSync(path);
  }
  if (!stats.isDirectory()) throw unsafe(path, 'is not a folder');
  assertPrivate(path, stats, 'chmod 700');
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
