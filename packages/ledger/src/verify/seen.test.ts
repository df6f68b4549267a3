import SqliteDatabase, { type Database } from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Predecessor } from '../segments/predecessor.js';
import { DICT_KINDS } from '../store/dictionary.js';
import { Frames } from './names.js';
import type { Finding } from './report.js';
import { SeenIds, type OlderClaims } from './seen.js';

const open: Database[] = [];
/**
 * A file with the runs `a` and `b`, whose numbers are the given ones, and with those claims: run, id, entry.
 */
function file(a: number, b: number, claims: string): Database {
  const db = new SqliteDatabase(':memory:');
  open.push(db);
  db.exec(`CREATE TABLE dict(id INTEGER PRIMARY KEY, kind, name); CREATE TABLE seen(run, id, seq);
    CREATE TABLE entry(seq INTEGER PRIMARY KEY, body); INSERT INTO entry VALUES
    (1, '{"data":{"#seen":"x"}}'), (2, '{"data":{"#seen":["\\"b\\"","y"]}}'), (3, '{"data":{}}');
    INSERT INTO dict VALUES(${a}, 1, '"a"'), (${b}, 1, '"b"'), (9, 2, '"b"'); INSERT INTO seen VALUES ${claims}`);
  return db;
}
afterEach(() => {
  for (const db of open.splice(0)) db.close();
});

const told = (finding: Finding | null): unknown =>
  finding === null ? null : `${finding.class} ${finding.seq}: ${finding.detail}`;

let db: Database;
let frames: Frames;
let seen: SeenIds;
const begin = (claims: string, older?: OlderClaims): void => {
  db = file(1, 2, claims);
  frames = new Frames(db);
  seen = new SeenIds(db, frames, older);
};
const CLAIMS = `(1, 'x', 1), (2, 'y', 2), (0, 'z', 3)`;
beforeEach(() => begin(CLAIMS));

const OWN = { id: 'x', run: undefined };
const OTHERS = { id: 'y', run: 'b' };
const GATEWAYS = { id: 'z', run: null };

describe('the request ids of a file', () => {
  it('are claimed for the run of the entry, another one, or the gateway', () => {
    expect(seen.check(1, 1, OWN)).toBeNull();
    expect(seen.check(2, 1, OTHERS)).toBeNull();
    expect(seen.check(3, 1, GATEWAYS)).toBeNull();
    expect(seen.settle()).toBeNull();
  });

  it.each([
    ['by another entry', 2, 1, OWN],
    ['for another run than the entry’s', 1, 2, OWN],
    ['for the gateway and not the entry’s run', 1, 1, { id: 'x', run: null }],
    ['for the entry’s run and not another', 2, 2, { id: 'y', run: 'a' }],
    ['for a run without a name', 2, 2, { id: 'y', run: 'c' }],
    ['for the entry’s run and not the gateway', 3, 1, { id: 'z', run: undefined }],
    ['under another id', 1, 1, { id: 'w', run: undefined }],
  ])('are not claimed %s', (_, seq, run, claim) => {
    const detail = `it claims the request id \`${claim.id}\`, which is not recorded as claimed by it`;
    expect(told(seen.check(seq, run, claim))).toBe(`seen ${seq}: ${detail}`);
  });

  it('use the names of the other runs that they are claimed for', () => {
    seen.check(1, 1, OWN);
    expect(frames.usedCount).toBe(0);
    seen.check(2, 1, OTHERS);
    expect(frames.usedCount).toBe(1);
    frames.name(2, DICT_KINDS.run);
    expect(frames.usedCount).toBe(1);
  });

  it.each([
    ['of an entry that is not there', `(1, 'x', 7)`, 'seen 7: the request id `x`'],
    ['of another id', `(1, 'x', 1), (1, 'w', 1)`, 'seen 1: the request id `w`'],
    ['of another id of another run', `(2, 'y', 2), (2, 'w', 2)`, 'seen 2: the request id `w`'],
    ['of an entry that claims none', `(1, 'x', 3)`, 'seen 3: the request id `x`'],
    ['that stand twice', `(1, 'x', 1), (1, 'x', 1)`, 'seen 0: the request id `?`'],
  ])('are found where rows are left over: %s', (_, claims, why) => {
    begin(claims);
    if (claims.includes(`(1, 'x', 1)`)) seen.check(1, 1, OWN);
    if (claims.includes(`(2, 'y', 2)`)) seen.check(2, 1, OTHERS);
    expect(told(seen.settle())).toBe(`${why} is recorded but no entry claims it`);
  });
});

describe('the request ids of the file before', () => {
  /** There the runs have each other’s numbers, and `b` has ended. */
  const begins = (claims: string): void => {
    const older = new Predecessor(file(2, 1, claims));
    const names = new Map([
      [0, null],
      [1, '"a"'],
    ]);
    begin(CLAIMS, { file: older, names });
  };

  it.each([
    ['the run that goes on', `(2, 'x', 40)`, 1, OWN, 'x', 40],
    ['the gateway', `(0, 'z', 41)`, 3, GATEWAYS, 'z', 41],
  ])('are not claimed again by %s', (_, claims, seq, claim, id, entry) => {
    begins(claims);
    const detail = `it claims the request id \`${id}\`, which entry ${entry} had claimed before`;
    expect(told(seen.check(seq, 1, claim))).toBe(`seen ${seq}: ${detail}`);
  });

  it('are those of each run by its name, while it goes on', () => {
    begins(`(1, 'x', 40), (0, 'x', 41), (1, 'y', 42), (2, 'w', 43)`);
    expect([seen.check(1, 1, OWN), seen.check(2, 1, OTHERS), seen.check(3, 1, GATEWAYS)]).toEqual([
      null,
      null,
      null,
    ]);
  });
});
