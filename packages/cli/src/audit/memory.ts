import { existsSync, realpathSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { isSublError } from '@subluminal/core-types';
import { readCredential, readStateHome, type HomePaths } from '@subluminal/ipc';
import { readSettings } from '../home/settings.js';
import { genesisOf } from '../record/open.js';

/** Which ledger is verified, and what remembers it outside. */
export interface VerifySubject {
  readonly ledger: string;
  /** The ledger is not the one of the home: nothing on this machine has to remember it. */
  readonly isCopy: boolean;
  readonly headsLog: string | undefined;
}

/**
 * The ledger to verify and its outside memory. For the home's own ledger that is the `heads_log` of
 * config.toml, else `<state folder>/subluminal/<ledger id>/heads.log` in the folder that the home remembers.
 * For a copy it is only the file that `--heads` names.
 */
export function subjectOf(
  home: HomePaths,
  path: string | undefined,
  heads: string | undefined,
  stateFolders: readonly string[],
): VerifySubject {
  const ledger = path === undefined ? home.ledgerDb : resolve(path);
  const isCopy = path !== undefined && !isSameFile(ledger, home.ledgerDb);
  if (heads !== undefined) return { ledger, isCopy, headsLog: resolve(heads) };
  if (isCopy) return { ledger, isCopy, headsLog: undefined };
  return { ledger, isCopy, headsLog: configured(home) ?? remembered(home, stateFolders) };
}

function configured(home: HomePaths): string | undefined {
  const { headsLog } = readSettings(home);
  if (headsLog === undefined || isAbsolute(headsLog)) return headsLog;
  return resolve(dirname(home.config), headsLog);
}

/**
 * The key file's ledger comes first: a ledger that was swapped for a fresh one has another id, and must not
 * lead to a memory of its own. Its memory may stand at the usual place though the home names another by now.
 */
function remembered(home: HomePaths, stateFolders: readonly string[]): string | undefined {
  const ids = [ledgerIdOfKey(home), genesisOf(home.ledgerDb)?.ledgerId].filter((id) => id !== undefined);
  const own = readStateHome(home);
  const folders = own === undefined ? stateFolders : [own, ...stateFolders];
  const paths = ids.flatMap((id) => folders.map((folder) => join(folder, 'subluminal', id, 'heads.log')));
  return paths.find((path) => existsSync(path)) ?? paths[0];
}

function ledgerIdOfKey(home: HomePaths): string | undefined {
  try {
    return readCredential(home.operatorKey).ledger_id;
  } catch (error) {
    // Without a readable key the ledger's own word has to do; `sub doctor` tells of the key.
    if (isSublError(error, 'key_missing', 'home_unsafe')) return undefined;
    throw error;
  }
}

function isSameFile(one: string, other: string): boolean {
  return existsSync(one) && existsSync(other) && realpathSync(one) === realpathSync(other);
}
