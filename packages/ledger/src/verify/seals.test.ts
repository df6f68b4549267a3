import { sha256Hex, preimage } from '@subluminal/core-types';
import type { Database } from 'better-sqlite3';
import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  attack,
  fillRun,
  keyFromSeed,
  Scratch,
  SIGNING_KEY,
  withoutTriggers,
} from '../../testing/scratch.js';
import { bodySuffix } from '../entry/format.js';
import { signCheckpoint } from '../head/note.js';
import { verifyLedger } from '../index.js';
import { Frontier } from '../merkle/frontier.js';
import { keyText, signSeal, type Seal } from '../seal/record.js';

/** Seals 1 and 2 stand at 8 and 16. `keys[n]` signed, or will sign, seal `n + 1`. */
let scratch: Scratch;
const keys: KeyObject[] = [];
beforeAll(async () => {
  scratch = new Scratch();
  scratch.create();
  const keep = () => keys.push(createPrivateKey(readFileSync(scratch.sealKey)));
  keep();
  for (const run of ['a', 'b']) {
    const ledger = await scratch.open();
    await fillRun(ledger, run, 2);
    await ledger.close();
    keep();
  }
});
afterAll(() => scratch.remove());

const FORGED_NEXT = keyText(createPublicKey(keyFromSeed(3)));
let copies = 0;

/** What verify says of a copy after `edit`. */
async function found(edit: (db: Database) => void): Promise<unknown> {
  const copy = scratch.copy(`copy-${(copies += 1)}.db`);
  attack(copy, (db) => withoutTriggers(db, () => edit(db)));
  const { verdict, finding } = await verifyLedger(copy, { headsLog: scratch.headsLog });
  return finding === null ? verdict : `${finding.class} at ${finding.seq}: ${finding.detail}`;
}

function treeBefore(db: Database, seq: number): Frontier {
  const tree = new Frontier();
  const leaves = db.prepare<[number], Buffer>('SELECT hash FROM entry WHERE seq < ? ORDER BY seq').pluck();
  for (const leaf of leaves.all(seq)) tree.push(leaf.toString('hex'));
  return tree;
}

/** Puts a seal in the place of entry `seq`, which is the last, or behind it; everything else fits it. */
function putSeal(db: Database, seq: number, key: KeyObject, change: Partial<Seal> = {}, n = 3): void {
  db.prepare('DELETE FROM entry WHERE seq = ?').run(seq);
  const tree = treeBefore(db, seq);
  const at = db
    .prepare<[], { ri: number; hash: Buffer }>(
      `SELECT body->>'$.ri' AS ri, hash FROM entry WHERE run IS NULL ORDER BY seq DESC LIMIT 1`,
    )
    .get();
  const before = db
    .prepare<[number], Buffer>('SELECT hash FROM entry WHERE seq = ?')
    .pluck()
    .get(seq - 1);
  const root = Buffer.from(tree.root(), 'hex').toString('base64');
  const data = signSeal('test-ledger', { n, size: seq - 1, root, nextKey: FORGED_NEXT, ...change }, key);
  const rp = at?.hash.toString('hex') ?? '';
  const suffix = bodySuffix({
    ref: null,
    ri: (at?.ri ?? 0) + 1,
    rp,
    run: null,
    tool: null,
    ts: 1,
    type: 'seal',
  });
  const body = `{"code":null,"data":${data}${suffix}`;
  const leaf = sha256Hex(preimage('test-ledger', seq, before?.toString('hex') ?? '', body));
  db.prepare('INSERT INTO entry VALUES(?,1,NULL,NULL,50,0,NULL,?,?)').run(
    seq,
    body,
    Buffer.from(leaf, 'hex'),
  );
}

const key = (n: number): KeyObject => keys[n] ?? keyFromSeed(9);

describe('a seal that is forged', () => {
  it('is none where it follows in every way: then nobody but the head and the keystore tell', async () => {
    expect(await found((db) => putSeal(db, 17, key(2)))).toBe('unproven');
    const copy = scratch.copy('followed.db');
    attack(copy, (db) => withoutTriggers(db, () => putSeal(db, 17, key(2))));
    const { headsLog, sealKey: sealKeyPath } = scratch;
    expect((await verifyLedger(copy, { headsLog, sealKeyPath })).finding).toMatchObject({ class: 'seal' });
  });

  it.each([
    ['skips a number', 2, { n: 4 }, 'it is seal 4, and seal 3 is expected'],
    ['repeats a number', 2, { n: 2 }, 'it is seal 2, and seal 3 is expected'],
    ['has the size of an older one', 2, { size: 15 }, 'it covers 15 entries, and 16 lie before it'],
    ['covers itself', 2, { size: 17 }, 'it covers 17 entries, and 16 lie before it'],
    [
      'names another root',
      2,
      { root: Buffer.alloc(32).toString('base64') },
      'it names another root than the entries before it give',
    ],
    ['is signed by an older key', 1, {}, 'it is not signed by the key that its predecessor names'],
    ['is signed by the first key', 0, {}, 'it is not signed by the key that its predecessor names'],
    ['is signed by a stranger', 7, {}, 'it is not signed by the key that its predecessor names'],
  ] as const)('is found where it %s', async (_, signer, change, detail) => {
    expect(await found((db) => putSeal(db, 17, key(signer), change))).toBe(`seal at 17: ${detail}`);
  });

  it('is found where an old range is sealed again with a newer key', async () => {
    expect(await found((db) => putSeal(db, 16, key(2), {}, 2))).toBe(
      'seal at 16: it is not signed by the key that its predecessor names',
    );
  });
});

describe('a head that the log key alone signed', () => {
  it('is found: a stolen log key does not reach behind the newest seal', async () => {
    const forged = await found((db) => {
      const checkpoint = { size: 16, root: treeBefore(db, 17).root() };
      db.prepare('UPDATE head SET note = ?').run(
        signCheckpoint('test-ledger', checkpoint, { log: SIGNING_KEY }),
      );
    });
    expect(forged).toBe('head at 16: the seal key in force did not sign the head');
  });

  it('is found where all seals are stripped', async () => {
    const forged = await found((db) => {
      db.exec(
        'DELETE FROM entry WHERE seq >= 8; DELETE FROM seen WHERE seq >= 8; DELETE FROM blob WHERE seq >= 8',
      );
      db.exec(`DELETE FROM dict WHERE name = '"b"'`);
      const tree = treeBefore(db, 8);
      const note = signCheckpoint(
        'test-ledger',
        { size: 7, root: tree.root() },
        { log: SIGNING_KEY, seal: key(2) },
      );
      const bytes = tree.toBytes();
      db.prepare('UPDATE head SET note = ?, frontier = ?, mark_size = 7, mark_frontier = ?').run(
        note,
        bytes,
        bytes,
      );
    });
    expect(forged).toBe('head at 7: the seal key in force did not sign the head');
  });
});
