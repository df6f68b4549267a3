import { sha256Hex, preimage } from '@subluminal/core-types';
import type { Database } from 'better-sqlite3';
import { closesEffect, opensEffect } from '../entry/kinds.js';
import type { HeadsLine } from '../head/heads-log.js';
import { HEAD_ENTRIES, type Head } from '../head/row.js';
import type { Frontier } from '../merkle/frontier.js';
import type { Base } from '../segments/base.js';

/** Rows in memory at a time. */
const PAGE = 64;

/** The end of the ledger as its entries prove it. */
export interface Tail {
  readonly seq: number;
  readonly leaf: string;
  readonly frontier: Frontier;
  readonly open: Set<number>;
  /** The tree at the last line of heads.log, or at the head's mark where that is newer. */
  readonly newestMark: Frontier;
}

interface TailRow {
  readonly seq: number;
  readonly kind: number;
  readonly code: number;
  readonly ref: number | null;
  readonly body: string;
  readonly hash: Buffer;
}

/**
 * Re-hashes every entry behind the head's mark. The tree at the mark, grown by these leaves, has to give the
 * signed head's root and the root of every heads.log line on the way: so the ledger extends what is
 * remembered, at the cost of some thousand hashes whatever its size.
 *
 * @returns the tail, or a sentence on what contradicts itself.
 */
export function rehashTail(
  db: Database,
  ledgerId: string,
  base: Base,
  head: Head,
  lines: readonly HeadsLine[],
): Tail | string {
  const frontier = head.mark.clone();
  const open = new Set(head.open);
  const pending = lines.filter((line) => line.size >= head.mark.size);
  let newestMark = head.mark;
  let leaf = leafAt(db, frontier.size, base);
  if (leaf === undefined) return `it ends before entry ${frontier.size}, where the mark stands`;

  const check = (): string | undefined => {
    const root = frontier.root();
    if (frontier.size === head.checkpoint.size && root !== head.checkpoint.root) {
      return `entries up to ${frontier.size} do not give the root of the signed head`;
    }
    for (; pending[0]?.size === frontier.size; pending.shift()) {
      if (pending[0].root !== root)
        return `entries up to ${frontier.size} do not give the root in the heads log`;
      newestMark = frontier.clone();
    }
    return undefined;
  };
  const atMark = check();
  if (atMark !== undefined) return atMark;

  const rows = db.prepare<[number], TailRow>(
    `SELECT seq, kind, code, ref, body, hash FROM entry NOT INDEXED WHERE seq > ? ORDER BY seq LIMIT ${PAGE}`,
  );
  for (const row of inPages((after) => rows.all(after), frontier.size)) {
    if (row.seq !== frontier.size + 1) return `entry ${frontier.size + 1} is missing`;
    const expected = sha256Hex(preimage(ledgerId, row.seq, leaf, row.body));
    if (row.hash.toString('hex') !== expected) return `entry ${row.seq} does not have its hash`;
    leaf = expected;
    frontier.push(leaf);
    if (row.seq > head.checkpoint.size) {
      if (opensEffect(row.kind, row.code)) open.add(row.seq);
      if (row.ref !== null && closesEffect(row.kind)) open.delete(row.ref);
    }
    const wrong =
      frontier.size === head.checkpoint.size || frontier.size === pending[0]?.size ? check() : undefined;
    if (wrong !== undefined) return wrong;
  }
  if (frontier.size - head.checkpoint.size >= HEAD_ENTRIES)
    return `${frontier.size - head.checkpoint.size} entries lie behind its signed head, more than a crash leaves`;
  if (frontier.size < head.checkpoint.size)
    return `it ends at entry ${frontier.size}, before its signed head`;
  if (pending[0] !== undefined)
    return `it ends at entry ${frontier.size}, the heads log knows ${pending[0].size}`;
  return { seq: frontier.size, leaf, frontier, open, newestMark };
}

function* inPages(read: (after: number) => readonly TailRow[], after: number): Iterable<TailRow> {
  for (let rows = read(after); rows.length > 0; rows = read(rows.at(-1)?.seq ?? after)) yield* rows;
}

function leafAt(db: Database, seq: number, base: Base): string | undefined {
  if (seq === base.seq) return base.leaf;
  return db
    .prepare<[number], Buffer>('SELECT hash FROM entry WHERE seq = ?')
    .pluck()
    .get(seq)
    ?.toString('hex');
}
