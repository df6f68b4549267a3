import { SublError } from '@subluminal/core-types';
import type { Database } from 'better-sqlite3';
import type { KeyObject } from 'node:crypto';
import { Frontier } from '../merkle/frontier.js';
import { openCheckpoint, type Checkpoint } from './note.js';

/** A commit that leaves this many entries behind the signed head signs a new one, so no more than 255 ever are. */
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

/** The head, read and checked against the genesis key. */
export interface Head {
  readonly checkpoint: Checkpoint;
  readonly frontier: Frontier;
  readonly open: readonly number[];
  /**
   * The tree at the last line of heads.log that was older than this head. Re-hashing from here to the tip proves on
   * every start that the ledger extends what heads.log remembers.
   */
  readonly mark: Frontier;
}

/**
 * Reads the head row.
 *
 * @returns the head, or a sentence on what contradicts itself.
 */
export function readHead(row: HeadRow | undefined, ledgerId: string, publicKey: KeyObject): Head | string {
  if (row === undefined) return 'there is no head';
  const checkpoint = openCheckpoint(ledgerId, row.note, publicKey);
  if (checkpoint === undefined) return 'the signature of the head does not verify under the genesis key';
  const frontier = Frontier.fromBytes(checkpoint.size, row.frontier);
  if (frontier === undefined || frontier.root() !== checkpoint.root)
    return 'the frontier does not give the head’s root';
  const mark = Frontier.fromBytes(row.mark_size, row.mark_frontier);
  if (mark === undefined || mark.size > checkpoint.size) return 'the mark does not fit the head';
  const open = readOpen(row.open, checkpoint.size);
  if (open === undefined) return 'the list of open entries is not one';
  return { checkpoint, frontier, open, mark };
}

/** The stored row, read in one statement. */
export function selectHead(db: Database): HeadRow | undefined {
  return db
    .prepare<[], HeadRow>('SELECT note, frontier, open, mark_size, mark_frontier FROM head WHERE id = 1')
    .get();
}

function readOpen(text: string, size: number): readonly number[] | undefined {
  if (!/^\[(?:[1-9][0-9]{0,15}(?:,[1-9][0-9]{0,15})*)?\]$/.test(text)) return undefined;
  const open = text === '[]' ? [] : text.slice(1, -1).split(',').map(Number);
  const ascending = open.every((seq, at) => seq <= size && seq > (open[at - 1] ?? 0));
  return ascending ? open : undefined;
}

/** The error for a ledger that contradicts itself or its memory. */
export function corrupt(path: string, why: string): SublError {
  const help =
    '`sub audit verify` names the first entry that is wrong; nothing is written to this ledger any more';
  return new SublError('ledger_corrupt', `the ledger \`${path}\` contradicts itself: ${why}`, { help });
}
