import { existsSync, readdirSync, rmdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { HomePaths } from '@subluminal/ipc';
import { isOfLedger, isOfOperator, moveToRecord } from './record-folder.js';

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

/** Says what `removeHome` would do. With `deleteLedger` the ledger is removed as well. */
export function partingOf(home: HomePaths, deleteLedger: boolean): Parting {
  const parting = { kept: [] as string[], removed: [] as string[], strange: [] as string[] };
  for (const name of readdirSync(home.home).toSorted()) {
    const path = join(home.home, name);
    if (isOfOperator(name, home) || (!deleteLedger && isOfLedger(name))) parting.kept.push(path);
    else if (isOurs(name, home)) parting.removed.push(path);
    else parting.strange.push(path);
  }
  const keys = deleteLedger ? [] : KEPT_KEYS.map((name) => join(home.keysDir, name));
  parting.kept.push(...keys.filter((path) => existsSync(path)));
  return parting;
}

/**
 * Removes a home that no gateway runs for. The kept files move to a folder beside the home, and this gives
 * its path; undefined where there was nothing to keep. Only what `sub` puts into a home is removed, and the
 * home itself when it is empty.
 */
export function removeHome(home: HomePaths, { kept, removed }: Parting, nowMs: number): string | undefined {
  const folder = kept.length === 0 ? undefined : moveToRecord(home, kept, nowMs);
  for (const path of removed) rmSync(path, { recursive: true, force: true });
  if (readdirSync(home.home).length === 0) rmdirSync(home.home);
  return folder;
}

function isOurs(name: string, home: HomePaths): boolean {
  const folders = [home.keysDir, home.runDir, home.logsDir].map((path) => basename(path));
  return (
    isOfLedger(name) ||
    folders.includes(name) ||
    ['imports', basename(home.panicMark)].includes(name) ||
    /^(?:gateway\.db(?:-|$)|\.doctor-)/.test(name)
  );
}
