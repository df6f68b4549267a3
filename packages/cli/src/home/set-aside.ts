import { existsSync, linkSync, readdirSync, unlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { HomePaths } from '@subluminal/ipc';
import { isOfLedger, moveToRecord } from './record-folder.js';

/**
 * Moves a ledger that no gateway can go on with to a folder beside the home, together with its keys and the
 * gateway's own database, so that the next start begins anew. Settings and policy stay. A memory at a
 * configured place (`headsLog`) speaks of the old ledger and would contradict the new one: it gets the
 * folder's name behind its own. Deletes nothing. Gives the folder.
 */
export function setRecordAside(home: HomePaths, headsLog: string | undefined, nowMs: number): string {
  const names = readdirSync(home.home).filter(
    (name) => isOfLedger(name) || name === basename(home.keysDir) || /^gateway\.db(?:-|$)/.test(name),
  );
  const folder = moveToRecord(
    home,
    names.map((name) => join(home.home, name)),
    nowMs,
  );
  // A link first: a rename would replace a file of that name.
  if (headsLog !== undefined && existsSync(headsLog)) {
    linkSync(headsLog, `${headsLog}.${basename(folder)}`);
    unlinkSync(headsLog);
  }
  return folder;
}
