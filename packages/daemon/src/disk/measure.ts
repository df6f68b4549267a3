import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { hasCode } from '@subluminal/ipc';

/** What the ledger takes of the disk, in bytes. */
export interface LedgerUse {
  /** The file itself, without the room in it that will be used again. */
  readonly ledger: number;
  /** Its write-ahead log. */
  readonly log: number;
  /** Closed segments, all files of their folder. */
  readonly segments: number;
}

/** Looks at the files; `freeBytes` is the room inside of the ledger that is not in use. */
export function measureUse(ledgerDb: string, segmentsFolder: string, freeBytes: number): LedgerUse {
  return {
    ledger: Math.max(0, sizeOf(ledgerDb) - freeBytes),
    log: sizeOf(`${ledgerDb}-wal`),
    segments: namesIn(segmentsFolder).reduce((sum, name) => sum + sizeOf(join(segmentsFolder, name)), 0),
  };
}

/** All of it together. */
export function totalUse({ ledger, log, segments }: LedgerUse): number {
  return ledger + log + segments;
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return [];
    throw error;
  }
}
