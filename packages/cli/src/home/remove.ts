import { existsSync, readdirSync, rmdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { HomePaths } from '@subluminal/ipc';

/** What stays of a home, and what was in it that is not ours. */
export interface Removed {
  /** The ledger and what verifies it: paths below the home. Empty where it went too. */
  readonly kept: readonly string[];
  /** Names in the home that `sub` does not know; they stay. */
  readonly strange: readonly string[];
}

/** What verifies a ledger besides itself: the seal key that its newest seal names, and where its memory stands. */
const KEPT_KEYS = ['seal', 'seal.next'];

/**
 * Removes a home of which no gateway runs: its keys, settings, policy, journals and logs. The ledger stays, with what it is
 * verified by, unless `deleteLedger`. Only what `sub` puts into a home is removed, and the folder when it is empty.
 */
export function removeHome(home: HomePaths, deleteLedger: boolean): Removed {
  const kept: string[] = [];
  const strange: string[] = [];
  for (const name of readdirSync(home.home).toSorted()) {
    const path = join(home.home, name);
    if (!deleteLedger && isOfLedger(name)) kept.push(path);
    else if (!deleteLedger && path === home.keysDir) kept.push(...removeKeys(home.keysDir));
    else if (isOurs(name, home)) rmSync(path, { recursive: true, force: true });
    else strange.push(path);
  }
  if (kept.length === 0 && strange.length === 0 && existsSync(home.home)) rmdirSync(home.home);
  return { kept, strange };
}

function removeKeys(folder: string): readonly string[] {
  const kept: string[] = [];
  for (const name of readdirSync(folder)) {
    if (KEPT_KEYS.includes(name)) kept.push(join(folder, name));
    else rmSync(join(folder, name), { recursive: true, force: true });
  }
  return kept;
}

function isOfLedger(name: string): boolean {
  return (
    /^(?:ledger\.db(?:-wal|-shm|-journal)?$|replaced-)/.test(name) ||
    ['segments', 'config.toml'].includes(name)
  );
}

function isOurs(name: string, home: HomePaths): boolean {
  const folders = [home.keysDir, home.runDir, home.logsDir].map((path) => basename(path));
  return (
    isOfLedger(name) ||
    folders.includes(name) ||
    ['imports', basename(home.panicMark)].includes(name) ||
    /^(?:gateway\.db(?:-|$)|policy\.|\.doctor-)/.test(name)
  );
}
