import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Copy } from '../../testing/attacks/book.js';
import { attack, Scratch, withoutTriggers } from '../../testing/scratch.js';
import { verifyLedger, type VerifyOptions } from '../index.js';

/**
 * Entries 1, 2 and 3, a seal, and then 5, 6 and 7; `after[n]` is what was there when entry n had been written
 * and nothing else.
 */
let scratch: Scratch;
const after = new Map<number, Copy>();
beforeAll(async () => {
  scratch = new Scratch();
  scratch.create();
  for (const first of [1, 5]) {
    const ledger = await scratch.open();
    for (let seq = first; seq < first + 3; seq += 1) {
      await ledger.append({ entries: [{ type: 'shim_health', ts: seq, runId: null, data: {} }] });
      after.set(seq, Copy.of(scratch, join(scratch.folder, `after-${seq}`)));
    }
    await ledger.close();
  }
});
afterAll(() => scratch.remove());

const of = (seq: number): Copy => {
  const copy = after.get(seq);
  if (copy === undefined) throw new Error(`nothing was kept after entry ${seq}`);
  return copy;
};
/** The verdict with its reasons, and the notes. */
async function said(
  { path, headsLog }: Pick<Copy, 'path' | 'headsLog'>,
  options: VerifyOptions = {},
): Promise<readonly unknown[]> {
  const { verdict, reasons, finding, notes } = await verifyLedger(path, { headsLog, ...options });
  return [finding === null ? [verdict, ...reasons] : [finding.class, finding.seq, finding.detail], notes];
}

const UNSEALED = 'nothing in it is sealed';
const FIRST_KEY = 'nothing is sealed yet: whoever holds the first seal key could rewrite every entry';
const behind = (entries: string): string =>
  `${entries} behind the newest seal: whoever holds the next seal key could rewrite what lies there`;
const unsigned = (count: number): string =>
  `${count} entries lie behind the signed head, and no gateway runs`;

describe('what is said of a ledger that agrees with itself', () => {
  it.each([
    [1, [UNSEALED], FIRST_KEY],
    [2, [UNSEALED, unsigned(1)], FIRST_KEY],
    [3, [UNSEALED, unsigned(2)], FIRST_KEY],
    [5, [unsigned(1)], behind('1 entry lies')],
    [6, [unsigned(2)], behind('2 entries lie')],
    [7, [unsigned(3)], behind('3 entries lie')],
  ])('after entry %d: how much is not sealed and not signed', async (seq, reasons, note) => {
    expect(await said(of(seq))).toEqual([[reasons.length === 0 ? 'ok' : 'unproven', ...reasons], [note]]);
    expect(await said(of(seq), { live: true })).toEqual([['ok'], [note]]);
  });

  it('at its end: nothing', async () => {
    expect(await said(scratch)).toEqual([['ok'], []]);
  });

  it('of an empty one: that it is, whether or not a gateway runs', async () => {
    const empty = await new Scratch().fill(async () => undefined);
    for (const live of [false, true])
      expect(await said(empty, { live })).toEqual([
        ['unproven', 'the heads log remembers no entry', 'the ledger is empty'],
        [],
      ]);
    empty.remove();
  });

  it('of one whose base says that it begins with a later entry: that it does not', async () => {
    const copy = Copy.of(scratch, join(scratch.folder, 'later'));
    attack(copy.path, (db) =>
      withoutTriggers(db, () => {
        db.exec('UPDATE base SET seq = 1, frontier = (SELECT hash FROM entry WHERE seq = 1)');
        db.exec('DELETE FROM entry WHERE seq = 1');
      }),
    );
    const detail = 'its file says that it begins with another entry than it does';
    expect(await said(copy)).toEqual([['segment', 0, detail], []]);
  });

  it('of one that was tampered with: that alone', async () => {
    const copy = Copy.of(of(7), join(scratch.folder, 'tampered'));
    attack(copy.path, (db) =>
      withoutTriggers(db, () => void db.exec('UPDATE entry SET ts = ts + 1 WHERE seq = 6')),
    );
    expect(await said(copy)).toEqual([['column', 6, expect.any(String)], []]);
  });

  it('without its memory: that there is none', async () => {
    const { path } = scratch;
    expect((await verifyLedger(path)).reasons).toEqual(['no heads log was given']);
    expect((await verifyLedger(path, { headsLog: `${path}.none` })).reasons).toEqual([
      'there is no heads log',
    ]);
  });
});

describe('what is said of a ledger that a receipt contradicts', () => {
  it('is that alone, though it has no memory either', async () => {
    const receipts = [{ seq: 2, leaf: 'ab'.repeat(32) }];
    expect(await verifyLedger(scratch.path, { receipts })).toMatchObject({
      verdict: 'tampered',
      finding: { seq: 2, class: 'receipt' },
      reasons: [],
    });
  });
});

describe('what is said of a ledger that cannot be read', () => {
  it('is that it is damaged, and at which entry', async () => {
    const copy = Copy.of(scratch, join(scratch.folder, 'damaged'));
    let page = 0;
    attack(copy.path, (db) => {
      db.pragma('journal_mode=DELETE');
      const find = db.prepare<[], number>(`SELECT rootpage FROM sqlite_schema WHERE name = 'entry'`).pluck();
      page = find.get() ?? 0;
    });
    overwrite(copy.path, (page - 1) * 4096, 4096);
    expect(await said(copy)).toEqual([['page', 0, expect.any(String)], []]);
  });

  it('is that it is no database any more where its header is spoilt', async () => {
    const copy = Copy.of(scratch, join(scratch.folder, 'header'));
    overwrite(copy.path, 16, 40);
    expect(await said(copy)).toEqual([['page', 0, expect.any(String)], []]);
  });

  it.each([
    ['a text', 'enough'],
    ['an error', new Error('enough')],
  ])('is why it was left off, where that is %s', async (_, reason) => {
    const { path, headsLog } = scratch;
    const signal = AbortSignal.abort(reason);
    expect(await verifyLedger(path, { headsLog, signal })).toMatchObject({
      verdict: 'unchecked',
      exit: 1,
      finding: null,
      reasons: ['enough'],
    });
  });

  it('is why, and nothing of the ledger, where there is none', async () => {
    const path = join(scratch.folder, 'none', 'ledger.db');
    mkdirSync(dirname(path));
    const { verdict, exit, reasons, finding, entries } = await verifyLedger(path);
    expect([verdict, exit, finding, entries]).toEqual(['unchecked', 1, null, 0]);
    expect(reasons).toEqual([`there is no ledger at \`${path}\``]);
    rmSync(dirname(path), { recursive: true });
  });
});

function overwrite(path: string, at: number, length: number): void {
  const file = openSync(path, 'r+');
  writeSync(file, Buffer.alloc(length, 0xff), 0, length, at);
  closeSync(file);
}
