import { basename } from 'node:path';
import type { HomePaths } from '@subluminal/ipc';

/** Tells whether a file or folder of a home belongs to its ledger, by its name. */
export function isOfLedger(name: string): boolean {
  return /^(?:(?:ledger|index)\.db(?:-wal|-shm|-journal)?$|replaced-)/.test(name) || name === 'segments';
}

/** In the order in which they move: `ledger.db` last, so that a record that has it has all of the ledger. */
export function inOrder(paths: readonly string[], { ledgerDb }: HomePaths): readonly string[] {
  return [...paths.filter((path) => path !== ledgerDb), ...paths.filter((path) => path === ledgerDb)];
}

/**
 * Tells whether a file holds decisions of the operator: the settings, the policy, its tests, its signature,
 * and where the memory stands.
 */
export function isOfOperator(name: string, home: HomePaths): boolean {
  return name === basename(home.config) || name === basename(home.stateHome) || name.startsWith('policy.');
}
