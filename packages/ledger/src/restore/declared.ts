import type { Database } from 'better-sqlite3';
import { KINDS } from '../entry/kinds.js';
import type { HeadsLine } from '../head/heads-log.js';
import { findPlaces } from '../read/places.js';
import { openReadOnly } from '../schema/connection.js';
import { readBase, type Base } from '../segments/base.js';

/**
 * The size of a restore that the ledger tells of and no line of heads.log does, though the log reaches back
 * to it. The line is written first, so there is none without it; and without this check the log key alone, to
 * which no seal is bound, could put a fresh seal key in force.
 */
export function undeclaredRestore(
  restores: readonly { readonly size: number }[],
  lines: readonly HeadsLine[],
): number | undefined {
  const [first] = lines;
  if (first === undefined) return undefined;
  const declared = new Set(lines.filter((line) => line.restored).map((line) => line.size));
  return restores.find(({ size }) => size >= first.size && !declared.has(size))?.size;
}

/**
 * Every restore that heads.log knows has its entry, and the other way round. `db`: the newest file. An entry
 * of an older file that is not there is left to a verification that sees it.
 */
export function contradictedRestore(db: Database, lines: readonly HeadsLine[]): string | null {
  const base = readBase(db);
  const kindOf = kindsIn(db, base);
  const open = lines.find((line) => line.restored && !kindOf(line.size + 1).includes(KINDS.restored));
  if (open !== undefined)
    return `the heads log says that it was restored to ${open.size} entries, and no entry says so; a restore that was cut off has to be done again`;
  const restores = db.prepare<[], { size: number }>(
    'SELECT seq - 1 AS size FROM entry WHERE kind = 54 AND kind NOT IN (2,3,4,20,21)',
  );
  const undeclared = undeclaredRestore(restores.all(), lines);
  return undeclared === undefined
    ? null
    : `an entry says that it was restored to ${undeclared} entries, and no line of the heads log says so`;
}

/**
 * The kind of an entry, in whichever file it stands; none where there is no such entry, every kind where its
 * file is not there.
 */
function kindsIn(db: Database, base: Base | undefined): (seq: number) => readonly number[] {
  const find = (file: Database, seq: number): readonly number[] =>
    file.prepare<[number], number>('SELECT kind FROM entry WHERE seq = ?').pluck().all(seq);
  if (base === undefined) return (seq) => find(db, seq);
  const { chain, beyond } = findPlaces(db.name, base);
  return (seq) => {
    if (seq > base.seq) return find(db, seq);
    const place = [...chain, ...beyond].find(({ first, last }) => first <= seq && seq <= last);
    if (place === undefined) return Object.values(KINDS);
    const closed = openReadOnly(place.path);
    try {
      return find(closed, seq);
    } finally {
      closed.close();
    }
  };
}
