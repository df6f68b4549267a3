import {
  assertHome,
  assertPrivateFile,
  assertPrivateFolder,
  assertSocketPath,
  assertWhole,
  type HomePaths,
} from '@subluminal/ipc';

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
  'stateHome',
] as const;
const FOLDERS = ['keysDir', 'runDir', 'ticketsDir', 'awayDir', 'logsDir'] as const;

/**
 * Checks that a home can be trusted and makes the folders in it that are missing (0700). The home itself is
 * never created: who starts a gateway decides where. ARCHITECTURE.md, "Keys, credentials, runs".
 *
 * @throws SublError `path_too_long`, `home_missing`, `home_unsafe`, `ledger_incomplete`.
 */
export function prepareHome(paths: HomePaths): void {
  assertSocketPath(paths.socket);
  assertHome(paths);
  assertWhole(paths);
  for (const name of FOLDERS) assertPrivateFolder(paths[name]);
  for (const name of FILES) assertPrivateFile(paths[name]);
  assertPrivateFile(`${paths.sealKey}.next`);
}
