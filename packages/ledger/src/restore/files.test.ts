import { readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { fillRun, Scratch, SIGNING_KEY } from '../../testing/scratch.js';
import { backupLedger, openLedgerReader, planRestore, restoreLedger, verifyLedger } from '../index.js';
import { openWriter } from '../schema/connection.js';
import { openStore } from '../store/open-store.js';

const NOW = Date.UTC(2026, 1, 2, 2, 40);

let scratch: Scratch;
let backup: string;
beforeEach(() => {
  scratch = new Scratch();
  scratch.create();
  backup = join(scratch.folder, 'backup');
});
afterEach(() => scratch.remove());

const closed = (): string[] => readdirSync(join(scratch.folder, 'segments')).toSorted();
const verify = () => verifyLedger(scratch.path, { headsLog: scratch.headsLog, sealKeyPath: scratch.sealKey });
const takeBackup = () => backupLedger({ ledger: scratch.path, target: backup, nowMs: NOW, version: '0.1.0' });

/** A life of the ledger in a file of its own. */
async function inNextFile(run: string): Promise<void> {
  const ledger = await scratch.open({ segmentBytes: 1 });
  await fillRun(ledger, run, 3);
  await ledger.close();
}

async function restore(): Promise<void> {
  const reader = openLedgerReader(join(backup, 'ledger.db'));
  const { fingerprint } = reader.genesis;
  reader.close();
  const { path: ledger, headsLog } = scratch;
  const plan = await planRestore({ backup, ledger, headsLog, fingerprint });
  restoreLedger({
    plan,
    backup,
    ledger,
    segments: join(scratch.folder, 'segments'),
    sealKeyPath: scratch.sealKey,
    headsLog,
    privateKey: SIGNING_KEY,
    aside: join(scratch.folder, 'aside'),
    reason: 'the disk lied',
    nowMs: NOW,
  });
}

it('a ledger of several files is put back with all of them, and goes on in others', async () => {
  for (const run of ['run-a', 'run-b', 'run-c']) await inNextFile(run);
  const files = closed();
  const { entries } = await takeBackup();
  for (const run of ['run-d', 'run-e']) await inNextFile(run);
  const later = closed();
  expect(later).toHaveLength(4);
  await restore();
  expect(closed()).toEqual(files);
  expect(readdirSync(join(scratch.folder, 'aside', 'segments')).toSorted()).toEqual(later);
  expect(await verify()).toMatchObject({ verdict: 'ok', exit: 0, entries: entries + 2 });
  for (const run of ['run-f', 'run-g']) await inNextFile(run);
  expect(closed()).toHaveLength(4);
  expect(await verify()).toMatchObject({ verdict: 'ok', exit: 0 });
  const reader = openLedgerReader(scratch.path);
  expect(reader.byRun('run-a').rows.length).toBeGreaterThan(0);
  expect(reader.byRun('run-d').rows).toEqual([]);
  expect(reader.byRun('run-g').rows.length).toBeGreaterThan(0);
  reader.close();
}, 60_000);

it('a backup that was taken while a file had just ended is put back, and the file goes on', async () => {
  await inNextFile('run-a');
  const { store } = openStore({
    path: scratch.path,
    privateKey: SIGNING_KEY,
    sealKeyPath: scratch.sealKey,
    headsLog: scratch.headsLog,
    durability: 'fsync',
    nowMs: scratch.nowMs,
    openDatabase: openWriter,
  });
  expect(store.endFile(scratch.nowMs)).toBe(true);
  store.close();
  const { entries } = await takeBackup();
  await inNextFile('run-b');
  await restore();
  expect(await verify()).toMatchObject({ verdict: 'ok', exit: 0, entries: entries + 2 });
  await inNextFile('run-c');
  expect(await verify()).toMatchObject({ verdict: 'ok', exit: 0 });
}, 60_000);

it('a backup without an older file that lies elsewhere is put back, and finds it again', async () => {
  for (const run of ['run-a', 'run-b', 'run-c']) await inNextFile(run);
  const [oldest = ''] = closed();
  const [there, elsewhere] = [join(scratch.folder, 'segments', oldest), join(scratch.folder, oldest)];
  renameSync(there, elsewhere);
  await takeBackup();
  await inNextFile('run-d');
  await restore();
  expect(await verify()).toMatchObject({ verdict: 'unproven', exit: 6 });
  await inNextFile('run-e');
  renameSync(elsewhere, there);
  expect(await verify()).toMatchObject({ verdict: 'ok', exit: 0 });
}, 60_000);

it('a backup without the file right before its newest is not put back, and nothing is moved', async () => {
  for (const run of ['run-a', 'run-b', 'run-c']) await inNextFile(run);
  const [, before = ''] = closed();
  const [there, elsewhere] = [join(scratch.folder, 'segments', before), join(scratch.folder, before)];
  renameSync(there, elsewhere);
  await takeBackup();
  renameSync(elsewhere, there);
  await expect(restore()).rejects.toMatchObject({
    code: 'ledger_missing',
    message: expect.stringContaining('entry 27'),
  });
  expect(await verify()).toMatchObject({ verdict: 'ok', exit: 0 });
  await inNextFile('run-d');
}, 60_000);
