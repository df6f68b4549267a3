import SqliteDatabase from 'better-sqlite3';
import { copyFileSync, existsSync, renameSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { layout1, LAYOUT_1 } from '../../testing/layout-1.js';
import {
  attack,
  fillRun,
  type Scratch,
  withoutTriggers,
  writeKeyFile,
  keyFromSeed,
} from '../../testing/scratch.js';
import { inspectLedger, openLedgerReader, verifyLedger } from '../index.js';

function layoutOf(path: string): unknown {
  const db = new SqliteDatabase(path, { readonly: true });
  const layout = db.pragma('user_version', { simple: true });
  db.close();
  return layout;
}

describe('a ledger of layout 1', () => {
  let scratch: Scratch;
  beforeEach(() => {
    scratch = layout1();
  });
  afterEach(() => scratch.remove());

  it('is read and verified as it is, but proves nothing while it is not sealed', async () => {
    const reader = openLedgerReader(scratch.path);
    expect(reader.size).toBe(LAYOUT_1.entries);
    expect(reader.byRun('run-a').rows).toHaveLength(11);
    reader.close();
    expect(inspectLedger(scratch.path)).toMatchObject({ mistake: null, headSize: 306 });
    expect(await scratch.verify()).toMatchObject({
      verdict: 'unproven',
      exit: 6,
      reasons: ['nothing in it is sealed'],
      genesisFingerprint: LAYOUT_1.fingerprint,
      root: LAYOUT_1.root,
      notes: ['the ledger is of layout 1: the next gateway that opens it makes it layout 2'],
    });
    expect(layoutOf(scratch.path)).toBe(1);
  });

  it('becomes layout 2 when it is opened for writing: tiles, an entry that says so, a seal by the log key', async () => {
    const ledger = await scratch.open();
    expect(ledger.genesisFingerprint).toBe(LAYOUT_1.fingerprint);
    expect(ledger.head().seq).toBe(308);
    expect(ledger.danglingPendings()).toHaveLength(1);
    await fillRun(ledger, 'later', 90);
    await ledger.close();
    const { path, headsLog, sealKey: sealKeyPath } = scratch;
    expect(layoutOf(path)).toBe(2);
    expect(existsSync(sealKeyPath)).toBe(true);
    const reader = openLedgerReader(path);
    expect(reader.entry(307)).toMatchObject({ type: 'migrated', data: { from: 1, to: 2 } });
    expect(reader.entry(308)).toMatchObject({ type: 'seal', data: { n: 1, size: 307 } });
    reader.close();
    expect(await verifyLedger(path, { headsLog, sealKeyPath })).toMatchObject({
      verdict: 'ok',
      entries: 580,
      seals: 2,
      sealedSize: 579,
      genesisFingerprint: LAYOUT_1.fingerprint,
    });
    await (await scratch.open()).close();
    expect((await verifyLedger(path, { headsLog, sealKeyPath })).entries).toBe(580);
  });

  it('goes on where a crash came between its COMMIT and the rename of the first seal key', async () => {
    await (await scratch.open()).close();
    renameSync(scratch.sealKey, `${scratch.sealKey}.next`);
    await (await scratch.open()).close();
    expect(existsSync(scratch.sealKey)).toBe(true);
    expect(await scratch.verify()).toMatchObject({ verdict: 'ok', entries: 308, seals: 1 });
  });

  it('stays as it is where anything in it does not hang together', async () => {
    attack(scratch.path, (db) =>
      withoutTriggers(db, () => db.exec('UPDATE entry SET hash = zeroblob(32) WHERE seq = 7')),
    );
    await expect(scratch.open()).rejects.toMatchObject({ code: 'ledger_corrupt' });
    expect(layoutOf(scratch.path)).toBe(1);
    expect(existsSync(scratch.sealKey)).toBe(false);
  });

  it('is not taken over where a seal key shows that it was sealed before', async () => {
    copyFileSync(scratch.path, `${scratch.path}.old`);
    const { headsLog, sealKey: sealKeyPath } = scratch;
    await (await scratch.open({ headsLog: `${headsLog}.new` })).close();
    copyFileSync(`${scratch.path}.old`, scratch.path);
    await expect(scratch.open()).rejects.toMatchObject({ code: 'ledger_corrupt' });
    expect(await verifyLedger(scratch.path, { headsLog, sealKeyPath })).toMatchObject({
      exit: 4,
      finding: { class: 'seal' },
    });
  });

  it('cannot be put back to layout 1 once it is layout 2', async () => {
    await (await scratch.open()).close();
    attack(scratch.path, (db) => db.pragma('user_version=1'));
    expect(await scratch.verify()).toMatchObject({ exit: 4, finding: { class: 'schema' } });
    await expect(scratch.open()).rejects.toMatchObject({ code: 'ledger_corrupt' });
  });
});

it('a layout of a later version is refused with the version that reads it, and never guessed at', async () => {
  const scratch = layout1();
  attack(scratch.path, (db) => db.pragma('user_version=3'));
  writeKeyFile(scratch.sealKey, keyFromSeed(5));
  await expect(scratch.open()).rejects.toMatchObject({
    code: 'not_available',
    message: 'the ledger has layout 3, and this version reads up to 2',
    help: 'it was written by a later version: use that version',
  });
  expect(() => openLedgerReader(scratch.path)).toThrow(expect.objectContaining({ code: 'not_available' }));
  expect(await scratch.verify()).toMatchObject({
    verdict: 'unchecked',
    exit: 1,
    reasons: ['the ledger has layout 3, and this version reads up to 2'],
  });
  expect(layoutOf(scratch.path)).toBe(3);
  scratch.remove();
});
