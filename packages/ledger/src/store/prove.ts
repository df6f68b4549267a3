import type { Database } from 'better-sqlite3';
import { readHeadsLog, type HeadsLine, type HeadsLog } from '../head/heads-log.js';
import { claimedSize, corrupt, readHead, selectHead, type Head } from '../head/row.js';
import type { Genesis } from '../genesis/record.js';
import { misplacedTile } from '../merkle/tiles.js';
import { newestSeal, type SealState } from '../seal/stored.js';
import type { Base } from '../segments/base.js';
import { rehashTail, type Tail } from './tail.js';

/** How the outside memory was found. `recreated`: entries exist that no line of it covers. */
export type MemoryState = 'off' | 'matched' | 'created' | 'recreated';

/** A ledger whose end is to be proved. */
export interface Unproved {
  readonly path: string;
  readonly db: Database;
  readonly genesis: Genesis;
  readonly base: Base;
  readonly headsLog: string | undefined;
  /** It has just been put back: what heads.log says of more entries is what is given up. */
  readonly isRestored: boolean;
}

/** A ledger whose end is proved, and the facts that prove it. */
export interface Proved {
  readonly db: Database;
  readonly genesis: Genesis;
  readonly base: Base;
  readonly head: Head;
  readonly newest: SealState;
  readonly log: HeadsLog | null;
  readonly tail: Tail;
}

/**
 * Proves the end of a ledger: signed head, newest seal, everything since the mark re-hashed up to the tip,
 * tiles as many as there have to be, and heads.log a prefix of it.
 *
 * @throws SublError `ledger_corrupt`.
 */
export function prove({ path, db, genesis, base, headsLog, isRestored }: Unproved): Proved {
  const { ledgerId } = genesis;
  const row = selectHead(db);
  const atHead = newestSeal(db, genesis, base, claimedSize(row));
  const newest = newestSeal(db, genesis, base, Number.MAX_SAFE_INTEGER);
  if (typeof atHead === 'string') throw corrupt(path, atHead);
  if (typeof newest === 'string') throw corrupt(path, newest);
  const head = readHead(row, ledgerId, { log: genesis.publicKey, seal: atHead.key });
  if (typeof head === 'string') throw corrupt(path, head);
  const log = loadHeadsLog(headsLog, genesis, path);
  const lines = log?.lines ?? [];
  const tail = rehashTail(db, ledgerId, base, head, isRestored ? upTo(db, lines) : lines);
  if (typeof tail === 'string') throw corrupt(path, tail);
  const tiles = misplacedTile(db, tail.seq);
  if (tiles !== null) throw corrupt(path, tiles);
  return { db, genesis, base, head, newest, log, tail };
}

/** How heads.log was found beside a ledger that was proved. */
export function memoryState(isKept: boolean, head: Head, log: HeadsLog | null, tail: Tail): MemoryState {
  if (!isKept) return 'off';
  const known = log?.lines.at(-1)?.size ?? 0;
  if (tail.seq > 0 && (known === 0 || known < head.mark.size)) return 'recreated';
  return log === null ? 'created' : 'matched';
}

/** Reads heads.log; null where there is none. Throws `ledger_corrupt`. */
export function loadHeadsLog(logPath: string | undefined, genesis: Genesis, path: string): HeadsLog | null {
  if (logPath === undefined) return null;
  const log = readHeadsLog(logPath);
  if (log === 'missing') return null;
  if (log === 'broken') throw corrupt(path, `the heads log \`${logPath}\` is damaged`);
  if (log.fingerprint !== genesis.fingerprint) {
    throw corrupt(path, `the heads log \`${logPath}\` belongs to a ledger with another genesis`);
  }
  return log;
}

/** Of a ledger that was just put back, what heads.log says of more entries is what is given up. */
function upTo(db: Database, lines: readonly HeadsLine[]): readonly HeadsLine[] {
  const size = db.prepare<[], number>('SELECT coalesce(max(seq),0) FROM entry').pluck().get() ?? 0;
  return lines.filter((line) => line.size <= size);
}
