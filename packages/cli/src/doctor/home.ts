import { existsSync, lstatSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isSublError, type Credential } from '@subluminal/core-types';
import { assertHome, assertSocketPath, assertWhole, readCredential, type HomePaths } from '@subluminal/ipc';
import { whyOf } from '../output/system-error.js';
import { failedWith, found, ok, type Check } from './check.js';
import { genesisOf } from '../record/open.js';

const PRIVATE_BITS = 0o077;
/** Files that people write with an editor hold no secret, and stand in a folder that others cannot enter. */
const WRITE_BITS = 0o022;

const OWN_HOME = 'run as the user that it belongs to, or name a folder of your own with `--home`';

/** The folder itself: there, ours, and closed to others. */
export function checkHome(home: HomePaths): Check {
  const chmod = `run \`chmod 700 ${home.home}\``;
  try {
    assertHome(home);
    assertWhole(home);
  } catch (error) {
    if (isSublError(error, 'home_missing')) {
      return found('home', 'fail', `there is no home at \`${home.home}\``, 'run `sub up` to create it');
    }
    // The errors that refuse a home send people here.
    if (!isSublError(error, 'home_unsafe')) return failedWith('home', error, chmod);
    return found('home', 'fail', error.message, isOurFolder(home.home) ? chmod : OWN_HOME);
  }
  const { mode } = lstatSync(home.home);
  if ((mode & PRIVATE_BITS) !== 0) {
    return found(
      'home',
      'warn',
      `others can look into \`${home.home}\` (${(mode & 0o777).toString(8)})`,
      chmod,
    );
  }
  return ok('home', home.home);
}

function isOurFolder(path: string): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats?.isDirectory() === true && stats.uid === process.getuid?.();
}

/**
 * Everything in the home, links not followed: owned by us, 0600 and 0700; what people write, not writable by
 * others. The writes of worlds have the owners and modes of their project, in a folder that is closed.
 */
export function checkPermissions(home: HomePaths): Check {
  const uid = process.getuid?.();
  if (uid === undefined) return ok('permissions', 'the access list of the profile applies');
  const wrong = wrongBelow(
    home.home,
    (path) => isOfWorld(path, home),
    (path) => wrongAt(path, home, uid),
  );
  const [first] = wrong;
  if (first === undefined) return ok('permissions', 'all files are closed to others');
  const more = wrong.length === 1 ? '' : `, and ${wrong.length - 1} more`;
  return found('permissions', 'fail', `\`${first.path}\` ${first.says}${more}`, first.fix);
}

/** The fault of one file or folder, and the next step. */
interface Wrong {
  readonly path: string;
  readonly says: string;
  readonly fix: string;
}

const OPEN = 'is not closed to others';

function wrongAt(path: string, home: HomePaths, uid: number): readonly Wrong[] {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined || stats.isSocket()) return [];
  if (stats.uid !== uid) return [{ path, says: OPEN, fix: `give \`${path}\` to your user` }];
  if (stats.isSymbolicLink())
    return [{ path, says: OPEN, fix: `replace the link \`${path}\` by what it points to` }];
  const mayBeRead = [home.policy, `${home.policy}.sig`, home.config].includes(path);
  const forbidden = mayBeRead ? WRITE_BITS : PRIVATE_BITS;
  if ((stats.mode & forbidden) === 0) return [];
  return [{ path, says: OPEN, fix: `run \`chmod ${stats.isDirectory() ? '700' : '600'} ${path}\`` }];
}

/**
 * A folder that may not be looked into is one finding: what is in it is unknown, and the rest is looked at.
 */
function wrongBelow(
  folder: string,
  isLeftOut: (path: string) => boolean,
  look: (path: string) => readonly Wrong[],
): readonly Wrong[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
      const path = join(folder, entry.name);
      if (isLeftOut(path)) return [];
      return [...look(path), ...(entry.isDirectory() ? wrongBelow(path, isLeftOut, look) : [])];
    });
  } catch (error) {
    const fix = `run as the user that \`${folder}\` belongs to; if that is you, run \`chmod 700 ${folder}\``;
    return [{ path: folder, says: `cannot be looked into: ${whyOf(error)}`, fix }];
  }
}

/** The folders of a layer that a world writes, and the kernel for it. */
function isOfWorld(path: string, { layersDir }: HomePaths): boolean {
  return dirname(dirname(path)) === layersDir && ['upper', 'work'].includes(basename(path));
}

/** The keys that clients hold: readable, and of one ledger. */
export function checkKeys(home: HomePaths): Check {
  if (!existsSync(home.keysDir)) {
    return found('keys', 'warn', 'there are no keys yet', 'run `sub up`: the gateway makes them');
  }
  try {
    const keys: readonly Credential[] = [readCredential(home.operatorKey), readCredential(home.enrolKey)];
    const ledgers = new Set(keys.map((key) => key.ledger_id));
    const missing = missingLedgerKey(home);
    if (missing !== undefined) {
      const help =
        'restore it from the backup that the ledger came from; a new key cannot continue the ledger';
      return found('keys', 'fail', `there is a ledger, but not its key \`${missing}\``, help);
    }
    if (ledgers.size === 1) return ok('keys', 'operator and enrol keys are there');
    return found(
      'keys',
      'fail',
      'the keys are of different ledgers',
      'run `sub down` and `sub up`: the gateway writes them anew',
    );
  } catch (error) {
    return failedWith('keys', error, 'run `sub down` and `sub up`: the gateway writes them anew');
  }
}

/** A hand-over may leave `keys/seal.next` alone. */
function missingLedgerKey(home: HomePaths): string | undefined {
  if (!hasLedger(home)) return undefined;
  if (!existsSync(home.logKey)) return home.logKey;
  return existsSync(home.sealKey) || existsSync(`${home.sealKey}.next`) ? undefined : home.sealKey;
}

function hasLedger(home: HomePaths): boolean {
  // No ledger, or none that can be read: the checks of the ledger say so.
  return genesisOf(home.ledgerDb) !== undefined;
}

/** A socket path that the system would cut off leads somewhere else. */
export function checkSocketPath(home: HomePaths): Check {
  try {
    assertSocketPath(home.socket);
    return ok('socket path', home.socket);
  } catch (error) {
    return failedWith('socket path', error, 'choose a home with a shorter path');
  }
}
