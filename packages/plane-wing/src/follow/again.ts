import { numberAt, textAt } from '@subluminal/core-types';
import type { LedgerReader, LedgerRow } from '@subluminal/ledger';
import type { FollowedEntry } from './follower.js';
import { FOLLOWED, PREVIEW } from './followed.js';

/** A start reads so many entries again, at most. */
const MAX_AGAIN = 4096;
const PAGE = 512;

/** Entries behind a mark, and the events of which the record says already what followed from them. */
export interface Again {
  readonly entries: readonly FollowedEntry[];
  /** The folders of runs that began before the mark. */
  readonly folders: ReadonlyMap<string, string>;
  readonly told: ReadonlySet<number>;
  /** False: there were more than are read. */
  readonly isWhole: boolean;
}

/** Reads what was recorded behind `mark`, up to `head`; of more than 4,096 entries the newest. */
export function readAgain(openReader: () => LedgerReader, mark: number, head: number): Again {
  const reader = openReader();
  try {
    const entries: FollowedEntry[] = [];
    const told = new Set<number>();
    for (let at = Math.max(mark, head - MAX_AGAIN) + 1; at <= head;) {
      const { rows } = reader.tailFrom(at, PAGE);
      const last = rows.at(-1);
      if (last === undefined) break;
      for (const row of rows) {
        if (row.seq > head) continue;
        if (row.type.startsWith('plane.')) told.add(numberAt(row.data, 'of', 'event') ?? 0);
        else if (FOLLOWED.has(row.type)) entries.push(entryOf(reader, row));
      }
      at = last.seq + 1;
    }
    return { entries, folders: foldersOf(reader, entries), told, isWhole: head - mark <= MAX_AGAIN };
  } finally {
    reader.close();
  }
}

/** Runs that are over say no more where they worked, and their first entry does. */
function foldersOf(reader: LedgerReader, entries: readonly FollowedEntry[]): ReadonlyMap<string, string> {
  const folders = new Map<string, string>();
  for (const { runId } of entries) {
    if (runId === null || folders.has(runId)) continue;
    const [first] = reader.byRun(runId, { order: 'asc', limit: 1 }).rows;
    folders.set(runId, first === undefined ? '' : textAt(first.data, 'workload', 'repo_path'));
  }
  return folders;
}

function entryOf(reader: LedgerReader, row: LedgerRow): FollowedEntry {
  const { code, data, runId, seq, tool, ts, type } = row;
  const preview = Object.hasOwn(row.blobs, PREVIEW) ? reader.blob(seq, PREVIEW) : null;
  return { seq, type, ts, runId, tool, data, code, preview };
}
