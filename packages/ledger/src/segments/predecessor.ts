import { sha256Hex, SublError, preimage } from '@subluminal/core-types';
import type { Database, Statement } from 'better-sqlite3';
import { bodyPrefix } from '../entry/format.js';
import { KINDS } from '../entry/kinds.js';
import { corrupt } from '../head/row.js';
import { findPlaces } from '../read/places.js';
import { openReadOnly } from '../schema/connection.js';
import { DICT_KINDS } from '../store/dictionary.js';
import type { Base } from './base.js';
import { readCarried } from './carried.js';
import { closedName, closedSegments, segmentsFolder } from './closed.js';
import { hasEnded, openedData } from './succession.js';

/**
 * The closed file right before the one that is written. A request that is repeated because its answer was
 * lost may have claimed its id there, so the writer does not go on without it; older files may lie elsewhere.
 */
export class Predecessor {
  readonly #db: Database;
  readonly #run: Statement<[number, string], number>;
  readonly #claimed: Statement<[string, number | null], number>;

  constructor(db: Database) {
    this.#db = db;
    this.#run = db.prepare<[number, string], number>('SELECT id FROM dict WHERE kind=? AND name=?').pluck();
    this.#claimed = db
      .prepare<[string, number | null], number>('SELECT seq FROM seen WHERE id=? AND run=?')
      .pluck();
  }

  /**
   * The entry that claimed a request id of a run there. `run`: JSON text of its id, null for the gateway's
   * own.
   */
  claimed(run: string | null, id: string): number | undefined {
    const number = run === null ? 0 : (this.#run.get(DICT_KINDS.run, run) ?? null);
    // Where the run has no number, NULL is that of no claim.
    return this.#claimed.get(id, number);
  }

  close(): void {
    this.#db.close();
  }
}

/**
 * Opens the file before the one at `path`, and only if the latter goes on from it: what `db` begins with is
 * what its first entry commits to, and that entry follows the last one there. Undefined for the first file.
 *
 * @throws SublError `ledger_incomplete` where it is not in its place (a later attempt may find it),
 *   `ledger_corrupt`.
 */
export function openPredecessor(
  path: string,
  db: Database,
  ledgerId: string,
  base: Base,
): Predecessor | undefined {
  if (base.segment === 1) return undefined;
  const unfit = unfitOpening(db, ledgerId, base);
  if (unfit !== null) throw corrupt(path, unfit);
  const number = base.segment - 1;
  const folder = segmentsFolder(path);
  const found = closedSegments(folder).find((one) => one.number === number && one.last === base.seq);
  if (found === undefined) {
    const [gap] = findPlaces(path, base).missing;
    // Where the one before it is missing as well, nobody knows with which entry it begins.
    const name =
      gap?.from === number
        ? closedName({ ...gap, number })
        : closedName({ number, first: 1, last: base.seq }).replace('-1-', '-*-');
    throw new SublError('ledger_incomplete', `the file before \`${path}\` is not in its place: \`${name}\``, {
      help: `put it back into \`${folder}\`: only those before it may lie elsewhere while a gateway runs`,
    });
  }
  const before = openReadOnly(found.path);
  try {
    if (!goesOnFrom(before, base)) throw corrupt(path, `it does not go on from \`${found.path}\``);
    return new Predecessor(before);
  } catch (error) {
    before.close();
    throw error;
  }
}

function goesOnFrom(before: Database, { seq, leaf }: Base): boolean {
  const last = before
    .prepare<[], { seq: number; hash: Buffer }>('SELECT seq, hash FROM entry ORDER BY seq DESC LIMIT 1')
    .get();
  return hasEnded(before) && last?.seq === seq && last.hash.toString('hex') === leaf;
}

/** What is wrong with the first entry of a file that goes on from another, or null. */
function unfitOpening(db: Database, ledgerId: string, base: Base): string | null {
  const seq = base.seq + 1;
  const first = db
    .prepare<[number], { kind: number; body: string; hash: Buffer }>(
      'SELECT kind, body, hash FROM entry WHERE seq = ?',
    )
    .get(seq);
  const isOpening =
    first?.kind === KINDS.segment_opened &&
    sha256Hex(preimage(ledgerId, seq, base.leaf, first.body)) === first.hash.toString('hex') &&
    first.body.startsWith(`${bodyPrefix(null)}${openedData(base, readCarried(db))},"ref":null,`);
  return isOpening ? null : 'its first entry does not commit to what it begins with';
}
