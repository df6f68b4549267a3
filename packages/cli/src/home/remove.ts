import { existsSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { hasCode, readAsideMark, type HomePaths } from '@subluminal/ipc';
import { FILE_HANDS, type FileHands } from './file-hands.js';
import { inOrder, isOfLedger, isOfOperator } from './parts.js';
import { isRecordFolder } from './record-folder.js';
import { RecordMove } from './record-move.js';

/** The paths of a home, in order, by their fate. */
export interface Parting {
  /** The ledger with what verifies it, and what the operator wrote. */
  readonly kept: readonly string[];
  readonly removed: readonly string[];
  /** Files that `sub` did not put there. */
  readonly strange: readonly string[];
}

/** The seal key that the newest seal of a ledger names: the ledger cannot be verified without it. */
const KEPT_KEYS = ['seal', 'seal.next'];
/** So often a folder is emptied that somebody writes into. */
const TRIES = 3;

/** Says what `removeHome` would do. With `deleteLedger` the ledger is removed as well. */
export function partingOf(home: HomePaths, deleteLedger: boolean): Parting {
  const parting = { kept: [] as string[], removed: [] as string[], strange: [] as string[] };
  for (const name of readdirSync(home.home).toSorted()) {
    const path = join(home.home, name);
    if (path === home.asideMark || isRecordFolder(name)) continue;
    if (isOfOperator(name, home) || (!deleteLedger && isOfLedger(name))) parting.kept.push(path);
    else if (isOurs(name, home)) parting.removed.push(path);
    else parting.strange.push(path);
  }
  const keys = deleteLedger ? [] : KEPT_KEYS.map((name) => join(home.keysDir, name));
  parting.kept.push(...keys.filter((path) => existsSync(path)));
  if (!deleteLedger && holdsFile(home.awayDir)) parting.kept.push(home.awayDir);
  return parting;
}

/**
 * Removes a home that no gateway runs for. The kept files move to a folder of their own, and this gives its
 * path; undefined where there was nothing to keep. Only what `sub` puts into a home is removed, and the home
 * itself when it is empty. What the operator wrote moves last: until then a command that was cut off leaves a
 * home that keeps its policy.
 */
export function removeHome(
  home: HomePaths,
  { kept, removed }: Parting,
  nowMs: number,
  files: FileHands = FILE_HANDS,
): string | undefined {
  const isWanted = kept.length > 0 || readAsideMark(home) !== undefined;
  const move = isWanted ? new RecordMove(home, kept, nowMs, files) : undefined;
  const written = kept.filter((path) => isOfOperator(basename(path), home));
  move?.take(
    inOrder(
      kept.filter((path) => path !== home.awayDir && !written.includes(path)),
      home,
    ),
  );
  for (const path of removed.filter((one) => one !== home.runDir)) files.removeAll(path);
  const keepsRecord = kept.some((path) => isOfLedger(basename(path)) || path === home.awayDir);
  removeRun(home, keepsRecord ? move : undefined, files);
  move?.take(written);
  move?.end();
  if (readdirSync(home.home).length === 0) trying(() => files.removeFolder(home.home));
  return move?.folder;
}

/** A shim that lives may write another spool meanwhile: nothing of it is removed unseen. */
function removeRun(home: HomePaths, move: RecordMove | undefined, files: FileHands): void {
  const { awayDir, runDir } = home;
  for (let tries = 0; tries < TRIES && existsSync(runDir); tries += 1) {
    if (move === undefined) files.removeAll(awayDir);
    else move.takeSpools();
    for (const name of readdirSync(runDir)) {
      if (join(runDir, name) !== awayDir) files.removeAll(join(runDir, name));
    }
    trying(() => files.removeFolder(runDir));
  }
}

/** Somebody may have written into it meanwhile, and one that is a mount point cannot be removed. */
function trying(remove: () => void): void {
  try {
    remove();
  } catch (error) {
    if (!hasCode(error, 'ENOTEMPTY', 'EEXIST', 'EBUSY')) throw error;
  }
}

function holdsFile(folder: string): boolean {
  if (!existsSync(folder)) return false;
  return readdirSync(folder, { recursive: true, withFileTypes: true }).some((one) => !one.isDirectory());
}

function isOurs(name: string, home: HomePaths): boolean {
  const folders = [home.keysDir, home.runDir, home.logsDir, home.layersDir].map((path) => basename(path));
  return (
    isOfLedger(name) ||
    folders.includes(name) ||
    ['imports', basename(home.panicMark)].includes(name) ||
    /^sub(?:\.[0-9]+)?$/.test(name) ||
    /^(?:gateway\.db(?:-|$)|\.doctor-|setting-aside\.new-|\.subluminal-record-)/.test(name)
  );
}
