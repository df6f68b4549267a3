import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { homePaths, type HomePaths } from '@subluminal/ipc';
import { FILE_HANDS, type FileHands } from './file-hands.js';
import { inOrder, isOfLedger } from './parts.js';
import { RecordMove } from './record-move.js';

/**
 * Moves a ledger that no gateway can go on with to a folder of its own, together with its keys, the gateway's
 * own database and what shims did without a gateway, so that the next start begins anew. Settings and policy
 * stay. The folder knows where the memory of the ledger stands. One at a configured place (`headsLog`) would
 * contradict the new ledger: it gets the folder's name behind its own. Deletes nothing, and goes on where it
 * was cut off. Gives the folder.
 */
export function setRecordAside(
  home: HomePaths,
  headsLog: string | undefined,
  nowMs: number,
  files: FileHands = FILE_HANDS,
): string {
  const names = readdirSync(home.home).filter(
    (name) => isOfLedger(name) || name === basename(home.keysDir) || /^gateway\.db(?:-|$)/.test(name),
  );
  const paths = inOrder(
    names.map((name) => join(home.home, name)),
    home,
  );
  const move = new RecordMove(home, paths, nowMs, files);
  const record = homePaths(move.folder);
  if (existsSync(home.stateHome)) files.write(record.stateHome, readFileSync(home.stateHome, 'utf8'));
  if (headsLog !== undefined && existsSync(headsLog)) {
    const kept = keptName(headsLog, basename(move.folder));
    files.write(record.config, `heads_log = ${JSON.stringify(kept)}\n`);
    // A link first: a rename would replace a file of that name.
    if (!existsSync(kept)) files.link(headsLog, kept);
    files.remove(headsLog);
  }
  move.takeSpools();
  move.take(paths);
  move.end();
  return move.folder;
}

/** A name that is free, or is the same file: it was linked before this was cut off. */
function keptName(headsLog: string, suffix: string): string {
  const { dev, ino } = lstatSync(headsLog);
  for (let count = 1; ; count += 1) {
    const name = `${headsLog}.${suffix}${count === 1 ? '' : `.${count}`}`;
    const there = lstatSync(name, { throwIfNoEntry: false });
    if (there === undefined || (there.dev === dev && there.ino === ino)) return name;
  }
}
