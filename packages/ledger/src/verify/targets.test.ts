import SqliteDatabase, { type Database } from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PairingRule } from '../entry/pairing.js';
import { Targets, type Referrer } from './targets.js';

const WINDOW = 1 << 20;
const ANY: PairingRule = { target: null, required: false, sameRun: false };
const frame = (rule: Partial<PairingRule> = {}, run = 1): Referrer => ({ rule: { ...ANY, ...rule }, run });

let db: Database;
let targets: Targets;
beforeEach(() => {
  db = new SqliteDatabase(':memory:');
  db.exec('CREATE TABLE entry(seq INTEGER PRIMARY KEY, kind INTEGER, run INTEGER, ref INTEGER)');
  targets = new Targets();
  targets.enter(db, 10, [
    { seq: 4, kind: 3, number: 1 },
    { seq: 10, kind: 3, number: 0 },
  ]);
});
afterEach(() => db.close());

describe('what an entry refers to', () => {
  it('may be nothing, unless it reports on something', () => {
    expect(targets.wrong(20, frame(), null)).toBeNull();
    expect(targets.wrong(20, frame({ required: true }), null)).toBe(
      'it refers to nothing, though it reports on something',
    );
  });

  it.each([-1, 0, 0.5, 20, 21, Number.NaN])('comes before it: %d does not', (ref) => {
    expect(targets.wrong(20, frame(), ref)).toBe(`it refers to ${ref}, which does not come before it`);
  });

  describe.each([
    ['a late entry', 20, 15],
    ['the entry before it', 20, 19],
    ['the first entry of the file', 20, 11],
    ['the last entry that is in memory', 11 + WINDOW - 1, 11],
    ['the first entry that is not', 12 + WINDOW, 12],
    ['an entry that is not in memory', 5 * WINDOW, 13],
  ])('is %s', (_, seq, ref) => {
    beforeEach(() => {
      targets.add(ref, 3, 1);
      for (const at of [ref + WINDOW, ref + 2 * WINDOW, ref + 3 * WINDOW])
        if (at < seq) targets.add(at, 9, 2);
      if (seq - ref >= WINDOW) db.prepare('INSERT INTO entry VALUES(?, 3, 1, NULL)').run(ref);
    });
    const refer = (rule: Partial<PairingRule>, run?: number): string | null => {
      db.prepare('INSERT OR REPLACE INTO entry VALUES(?, 4, 1, ?)').run(seq, ref);
      return targets.wrong(seq, frame(rule, run), ref);
    };

    it('once, whatever it is, where the rule leaves it free', () => {
      expect(refer({})).toBeNull();
    });

    it('and no second time', () => {
      db.prepare('INSERT INTO entry VALUES(?, 4, 1, ?)').run(seq - 1 === ref ? seq + 1 : seq - 1, ref);
      targets.wrong(Math.min(seq, ref + WINDOW - 1), frame(), ref);
      expect(refer({})).toBe(`${ref} has been referred to before`);
    });

    it('of a kind that the rule names', () => {
      expect(refer({ target: [3] })).toBeNull();
    });

    it('and of no other', () => {
      expect(refer({ target: [2, 9] })).toBe(`it may not refer to ${ref}, by its kind`);
    });

    it('of the same run, where the rule asks for it', () => {
      expect(refer({ sameRun: true }, 1)).toBeNull();
    });

    it('and of no other run', () => {
      expect(refer({ sameRun: true }, 2)).toBe(`it refers to ${ref}, an entry of another run`);
    });
  });

  it('is there', () => {
    expect(targets.wrong(5 * WINDOW, frame(), 13)).toBe('it refers to 13, which is not there');
  });

  it('may be the very first entry', () => {
    targets.enter(db, 0, []);
    targets.add(1, 3, 1);
    expect(targets.wrong(2, frame({ target: [3], sameRun: true }), 1)).toBeNull();
  });

  it('of an older file is one that this file goes on with, once, by kind and run', () => {
    expect(targets.wrong(20, frame(), 5)).toBe('it refers to 5, which its file does not go on with');
    expect(targets.wrong(20, frame({ target: [9] }), 4)).toBe('it may not refer to 4, by its kind');
    expect(targets.wrong(20, frame({ target: [3], sameRun: true }, 1), 10)).toBe(
      'it refers to 10, an entry of another run',
    );
    targets.enter(db, 10, [
      { seq: 4, kind: 3, number: 1 },
      { seq: 10, kind: 3, number: 0 },
    ]);
    for (const [ref, run] of [
      [4, 1],
      [10, 0],
    ] as const) {
      expect(targets.wrong(20, frame({ target: [3], sameRun: true }, run), ref)).toBeNull();
      expect(targets.wrong(21, frame(), ref)).toBe(`${ref} has been referred to before`);
    }
  });
});
