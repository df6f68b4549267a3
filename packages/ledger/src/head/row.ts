import { SublError } from '@subluminal/core-types';
import type { Database } from 'better-sqlite3';
import { Frontier } from '../merkle/frontier.js';
import { openCheckpoint, type Checkpoint, type CheckpointKeys } from './note.js';

/**
 * A commit that leaves this many entries behind the signed head signs a new one, so no more than 255 ever
 * are.
 */
export const HEAD_ENTRIES = 256;

/** The single row of `head`, as stored. */
export interface HeadRow {
  readonly note: string;
  readonly frontier: Buffer;
  /** JSON array, ascending: the pendings without a result at the head's size. */
  readonly open: string;
  readonly mark_size: number;
  readonly mark_frontier: Buffer;
}

/** The head, read and checked against the keys that sign it. */
export interface Head {
  readonly note: string;
  readonly checkpoint: Checkpoint;
  readonly frontier: Frontier;
  readonly open: readonly number[];
  /**
   * The tree at the last line of heads.log that was older than this head. Re-hashing from here to the tip
   * proves on every start that the ledger extends what heads.log remembers.
   */
  readonly mark: Frontier;
}

/** So many entries the stored head covers by its own word; 0 where it says nothing readable. */
export function claimedSize(row: HeadRow | undefined): number {
  const size = Number(row?.note.split('\n', 2)[1]);
  return Number.isSafeInteger(size) && size > 0 ? size : 0;
}

/**
 * Reads the head row. `keys`: the log key, and the seal key that was in force at the head's size.
 *
 * @returns the head, or a sentence on what contradicts itself.
 */
export function readHead(row: HeadRow | undefined, ledgerId: string, keys: CheckpointKeys): Head | string {
  if (row === undefined) return 'there is no head';
  const checkpoint = openCheckpoint(ledgerId, row.note, keys);
  if (checkpoint === undefined) return 'the signatures of the head do not verify under the keys in force';
  const frontier = Frontier.fromBytes(checkpoint.size, row.frontier);
  if (frontier === undefined || frontier.root() !== checkpoint.root)
    return 'the frontier does not give the head’s root';
  const mark = Frontier.fromBytes(row.mark_size, row.mark_frontier);
  if (mark === undefined || mark.size > checkpoint.size) return 'the mark does not fit the head';
  const open = readOpen(row.open, checkpoint.size);
  if (open === undefined) return 'the list of open entries is not one';
  return { note: row.note, checkpoint, frontier, open, mark };
}

/** The stored row, read in one statement. */
export function selectHead(db: Database): HeadRow | undefined {
  return db
    .prepare<[], HeadRow>('SELECT note, frontier, open, mark_size, mark_frontier FROM head WHERE id = 1')
    .get();
}

/** The open entries that a stored head names, as it names them. */
export function openList(text: string): number[] {
  return text === '[]' ? [] : text.slice(1, -1).split(',').map(Number);
}

function readOpen(text: string, size: number): readonly number[] | undefined {
  if (!/^\[(?:[1-9][0-9]{0,15}(?:,[1-9][0-9]{0,15})*)?\]$/.test(text)) return undefined;
  const open = openList(text);
  const ascending = open.every((seq, at) => seq <= size && seq > (open[at - 1] ?? 0));
  return ascending ? open : undefined;
}

/** The error for a ledger that contradicts itself or its memory. */
export function corrupt(path: string, why: string): SublError {
  const help =
    '`sub audit verify` names the first entry that is wrong; nothing is written to this ledger any more';
  return new SublError('ledger_corrupt', `the ledger \`${path}\` contradicts itself: ${why}`, { help });
}
