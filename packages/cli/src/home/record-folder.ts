import { mkdirSync, renameSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import type { HomePaths } from '@subluminal/ipc';

const TRIES = 1000;

/** Where what is kept of a home goes: beside it, so that it is renamed and never copied. */
export function recordFolderName(home: HomePaths, nowMs: number): string {
  return join(dirname(home.home), `subluminal-record-${new Date(nowMs).toISOString().slice(0, 10)}`);
}

/**
 * Moves files and folders of a home into a new folder (0700) with the same names below it, and gives its
 * path. A folder that is there already is left alone: the new one has a number behind its name.
 */
export function moveToRecord(home: HomePaths, paths: readonly string[], nowMs: number): string {
  const folder = newFolder(recordFolderName(home, nowMs));
  for (const path of paths) {
    const target = join(folder, relative(home.home, path));
    mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
    renameSync(path, target);
  }
  return folder;
}

/** Tells whether a file or folder of a home belongs to its ledger, by its name. */
export function isOfLedger(name: string): boolean {
  return /^(?:ledger\.db(?:-wal|-shm|-journal)?$|replaced-)/.test(name) || name === 'segments';
}

/**
 * Tells whether a file holds decisions of the operator: the settings, the policy, its tests, its signature,
 * and where the memory stands.
 */
export function isOfOperator(name: string, home: HomePaths): boolean {
  return name === basename(home.config) || name === basename(home.stateHome) || name.startsWith('policy.');
}

function newFolder(wanted: string): string {
  for (let count = 1; ; count += 1) {
    const path = count === 1 ? wanted : `${wanted}-${count}`;
    try {
      mkdirSync(path, { mode: 0o700 });
      return path;
    } catch (error) {
      const isTaken = error instanceof Error && 'code' in error && error.code === 'EEXIST';
      if (!isTaken || count === TRIES) throw error;
    }
  }
}
