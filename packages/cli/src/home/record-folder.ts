import { dirname, join } from 'node:path';
import { hasCode, readAsideMark, type HomePaths } from '@subluminal/ipc';
import type { FileHands } from './file-hands.js';

const PREFIX = 'subluminal-record-';
const TRIES = 1000;

/**
 * Where what is kept of a home goes: where a command that was cut off has begun, else beside the home. It is renamed and never copied.
 */
export function recordFolderName(home: HomePaths, nowMs: number): string {
  const begun = readAsideMark(home);
  if (begun !== undefined) return begun;
  return join(dirname(home.home), `${PREFIX}${new Date(nowMs).toISOString().slice(0, 10)}`);
}

/** Makes the folder. One that is there already is left alone: the new one has a number behind its name. */
export function newRecordFolder(home: HomePaths, nowMs: number, files: FileHands): string {
  const wanted = recordFolderName(home, nowMs);
  for (let count = 1; ; count += 1) {
    const path = count === 1 ? wanted : `${wanted}-${count}`;
    try {
      files.makeNewFolder(path);
      return path;
    } catch (error) {
      if (!hasCode(error, 'EEXIST') || count === TRIES) throw error;
    }
  }
}
