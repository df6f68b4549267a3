import { sha256Hex, preimage } from '@subluminal/core-types';
import type { Database } from 'better-sqlite3';
import { copyFileSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KNOWS_OPEN_FILES, openFilesIn } from '../../testing/open-files.js';
import { attack, fillRun, Scratch, withoutTriggers } from '../../testing/scratch.js';
import { threeFiles } from '../../testing/three-files.js';
import { readBase } from './base.js';
import { openPredecessor } from './predecessor.js';
import { hasEnded } from './succession.js';

let scratch: Scratch;
let closed = '';
beforeAll(async () => {
  scratch = new Scratch();
  scratch.create();
  for (const run of ['a', 'b']) {
    const ledger = await scratch.open({ segmentBytes: 1 });
    await fillRun(ledger, run, 2);
    await ledger.append({
      entries: [{ type: 'shim_health', ts: 1, runId: null, data: {} }],
      seen: { runId: null, id: `own-${run}` },
    });
    await ledger.close();
  }
  const [name = ''] = readdirSync(join(scratch.folder, 'segments'));
  closed = join(scratch.folder, 'segments', name);
  copyFileSync(closed, join(scratch.folder, 'kept.db'));
});
afterAll(() => scratch.remove());

/** Opens the file before the newest one, which `edit` has changed for this moment alone. */
function opened(edit: (db: Database) => void, ask: (of: ReturnType<typeof openPredecessor>) => void): void {
  attack(scratch.path, (db) => {
    const base = readBase(db);
    if (base === undefined) throw new Error('there is no base');
    db.exec('BEGIN');
    withoutTriggers(db, () => edit(db));
    try {
      const before = openPredecessor(scratch.path, db, 'test-ledger', base);
      ask(before);
      before?.close();
    } finally {
      db.exec('ROLLBACK');
    }
  });
}

/** Changes the body of the first entry, with the hash that fits. */
function rewrite(db: Database, change: (body: string) => string): void {
  const { seq = 0, leaf = '' } = readBase(db) ?? {};
  const find = db.prepare<[number], string>('SELECT body FROM entry WHERE seq = ?').pluck();
  const body = change(find.get(seq + 1) ?? '');
  const hash = Buffer.from(sha256Hex(preimage('test-ledger', seq + 1, leaf, body)), 'hex');
  db.prepare('UPDATE entry SET body = ?, hash = ? WHERE seq = ?').run(body, hash, seq + 1);
}

const FIRST = '(SELECT min(seq) FROM entry)';
const nothing = (): void => undefined;
const sql = (text: string) => (db: Database) => void db.exec(text);

describe('the file before the one that is written', () => {
  it('knows what was claimed there, and by whom', () => {
    opened(nothing, (before) => {
      expect(before?.claimed('"a"', 'call-a-1')).toBe(3);
      expect(before?.claimed('"b"', 'call-a-1')).toBeUndefined();
      expect(before?.claimed('"a"', 'call-b-1')).toBeUndefined();
      expect(before?.claimed(null, 'own-a')).toBe(8);
      expect(before?.claimed(null, 'own-b')).toBeUndefined();
      expect(before?.claimed('"a"', 'own-a')).toBeUndefined();
    });
  });

  it.skipIf(!KNOWS_OPEN_FILES)('is open until it is closed, and not where it does not fit', () => {
    opened(nothing, () => expect(openFilesIn(closed)).toContain(closed));
    expect(openFilesIn(closed)).toEqual([]);
    attack(closed, (db) => withoutTriggers(db, () => void db.exec('DELETE FROM entry')));
    expect(() => opened(nothing, nothing)).toThrow('it does not go on from');
    expect(openFilesIn(closed)).toEqual([]);
    copyFileSync(join(scratch.folder, 'kept.db'), closed);
  });

  it('is none before the first file', () => {
    attack(closed, (db) => {
      const base = readBase(db);
      expect(base).toMatchObject({ segment: 1, seq: 0 });
      expect(base && openPredecessor(closed, db, 'test-ledger', base)).toBeUndefined();
    });
  });

  it.each([
    ['there is no first entry', sql(`DELETE FROM entry WHERE seq = ${FIRST}`)],
    ['its kind is another', sql(`UPDATE entry SET kind = 9 WHERE seq = ${FIRST}`)],
    ['its hash is another', sql(`UPDATE entry SET hash = zeroblob(32) WHERE seq = ${FIRST}`)],
    [
      'its body is another',
      sql(`UPDATE entry SET body = replace(body, '"ref":null', '"ref":null ') WHERE seq = ${FIRST}`),
    ],
    [
      'it commits to something else',
      (db: Database) => rewrite(db, (body) => body.replace(/"base":"[0-9a-f]{2}/, '"base":"00')),
    ],
    ['it refers to an entry', (db: Database) => rewrite(db, (body) => body.replace('"ref":null', '"ref":1'))],
    [
      'it says more than it commits to',
      (db: Database) => rewrite(db, (body) => body.replace(',"ref"', ',"more":1,"ref"')),
    ],
    ['the base is another', sql('UPDATE carried_run SET next = next + 1')],
  ])('is not gone on from where %s', (_, edit) => {
    const why = 'its first entry does not commit to what it begins with';
    expect(() => opened(edit, nothing)).toThrow(
      expect.objectContaining({ code: 'ledger_corrupt', message: expect.stringContaining(why) }),
    );
  });

  it.each([
    ['the seal at its end is gone', 'DELETE FROM entry WHERE seq = (SELECT max(seq) FROM entry)'],
    ['it is empty', 'DELETE FROM entry'],
    ['it does not end with a seal', 'UPDATE entry SET kind = 9 WHERE seq = (SELECT max(seq) FROM entry)'],
    ['it does not say that it ended', 'UPDATE entry SET kind = 9 WHERE kind = 53'],
    ['it goes on', 'UPDATE entry SET seq = seq + 1 WHERE seq = (SELECT max(seq) FROM entry)'],
    [
      'its last hash is another',
      'UPDATE entry SET hash = zeroblob(32) WHERE seq = (SELECT max(seq) FROM entry)',
    ],
  ])('is not gone on from where %s', (_, text) => {
    attack(closed, (db) => withoutTriggers(db, () => void db.exec(text)));
    try {
      expect(() => opened(nothing, nothing)).toThrow(
        expect.objectContaining({
          code: 'ledger_corrupt',
          message: expect.stringContaining('it does not go on from'),
        }),
      );
    } finally {
      copyFileSync(join(scratch.folder, 'kept.db'), closed);
    }
  });

  it.each([
    ['another number', (name: string) => name.replace(/^1-/, '3-')],
    ['another last entry', (name: string) => name.replace(/([0-9]+)\.db$/, '99.db')],
  ])('is not in its place under %s', (_, change) => {
    const other = join(scratch.folder, 'segments', change(closed.split('/').at(-1) ?? ''));
    renameSync(closed, other);
    try {
      expect(() => opened(nothing, nothing)).toThrow(
        expect.objectContaining({
          code: 'ledger_incomplete',
          message: `the file before \`${scratch.path}\` is not in its place: \`${basename(closed)}\``,
          help: expect.stringContaining(`put it back into \`${join(scratch.folder, 'segments')}\``),
        }),
      );
    } finally {
      renameSync(other, closed);
    }
  });
});

it('the file before is named by what is known of it where the one before that is missing as well', async () => {
  const { scratch: three } = await threeFiles();
  rmSync(join(three.folder, 'segments'), { recursive: true });
  attack(three.path, (db) => {
    const base = readBase(db);
    expect(() => base && openPredecessor(three.path, db, 'test-ledger', base)).toThrow('`2-*-21.db`');
  });
  three.remove();
});

describe('a file has ended', () => {
  it('where it says so and is sealed', () => {
    attack(closed, (db) => expect(hasEnded(db)).toBe(true));
    attack(scratch.path, (db) => expect(hasEnded(db)).toBe(false));
  });
});
