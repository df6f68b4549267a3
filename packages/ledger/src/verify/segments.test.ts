import { copyFileSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  action,
  attack,
  beginCall,
  endCall,
  fillRun,
  runEnd,
  runStart,
  Scratch,
  SIGNING_KEY,
  withoutTriggers,
} from '../../testing/scratch.js';
import { backupLedger } from '../backup/backup.js';
import { openLedgerReader, verifyLedger } from '../index.js';
import { openReadOnly, openWriter } from '../schema/connection.js';
import { openStore } from '../store/open-store.js';

const segments = (scratch: Scratch): string[] =>
  readdirSync(join(scratch.folder, 'segments')).toSorted((a, b) => parseInt(a, 10) - parseInt(b, 10));

/**
 * Three files or more: runs that end, that go on, calls and actions across files, a grant, an upstream,
 * previews.
 */
async function fillSeveral(scratch: Scratch): Promise<void> {
  scratch.create();
  const ledger = await scratch.open({ segmentBytes: 1 });
  await ledger.append({ entries: [{ type: 'gateway_start', ts: 1, runId: null, data: { pid: 1 } }] });
  await ledger.append({ entries: [runStart('long')] });
  const begun = await ledger.append(beginCall('long', 'call-1'));
  const grant = await ledger.append({
    entries: [{ type: 'approval_granted', ts: 1, runId: null, data: {} }],
  });
  const upstream = await ledger.append({
    entries: [{ type: 'upstream_begin', ts: 1, runId: 'long', data: {} }],
  });
  const seqOf = (result: typeof begun, at: number): number =>
    result.ok ? (result.entries[at]?.seq ?? 0) : 0;
  await fillRun(ledger, 'run-a', 380);
  await ledger.append({ entries: [runEnd('run-a')] });
  await ledger.append({
    entries: [{ ...action('action_pending', 'long', 'pending'), ref: seqOf(grant, 0) }],
  });
  await fillRun(ledger, 'run-b', 380);
  await ledger.append({ entries: [endCall('long', 'call-1', seqOf(begun, 1))] });
  await ledger.append({
    entries: [{ type: 'upstream_end', ts: 1, runId: 'long', data: {}, ref: seqOf(upstream, 0) }],
  });
  await fillRun(ledger, 'run-c', 20);
  await ledger.close();
}

describe('a ledger of several files', () => {
  let scratch: Scratch;
  beforeAll(async () => {
    scratch = new Scratch();
    await fillSeveral(scratch);
  });
  afterAll(() => scratch.remove());

  it('is one chain, and verifies as one', async () => {
    expect(segments(scratch)).toHaveLength(2);
    const db = openReadOnly(scratch.path);
    const size = db.prepare<[], number>('SELECT max(seq) FROM entry').pluck().get();
    db.close();
    const report = await scratch.verify();
    expect(report).toMatchObject({
      verdict: 'ok',
      exit: 0,
      finding: null,
      reasons: [],
      entries: size,
      segments: { verified: 3, missing: 0, first: 1 },
      runs: 4,
      open: 1,
      blobs: 781,
      headSize: size,
    });
    expect(report.seals).toBeGreaterThan(2);
  });

  it('is at best unproven where older files are not there, and the rest is verified from its base on', async () => {
    const [first = '', second = ''] = segments(scratch);
    const [, , last = ''] = /^1-(1)-([0-9]+)/.exec(first) ?? [];
    const elsewhere = (name: string): void =>
      renameSync(join(scratch.folder, 'segments', name), join(scratch.folder, name));
    const back = (name: string): void =>
      renameSync(join(scratch.folder, name), join(scratch.folder, 'segments', name));
    elsewhere(first);
    expect(await scratch.verify()).toMatchObject({
      verdict: 'unproven',
      exit: 6,
      segments: { verified: 2, missing: 1, first: Number(last) + 1 },
      reasons: [
        `entries 1 to ${last} were not verified: file 1 is not in \`segments\` (entries 1 to ${last})`,
      ],
    });
    elsewhere(second);
    expect(await scratch.verify()).toMatchObject({ exit: 6, segments: { verified: 1, missing: 2 } });
    back(first);
    expect(await scratch.verify()).toMatchObject({ exit: 6, segments: { verified: 1, missing: 1 } });
    back(second);
    expect(await scratch.verify()).toMatchObject({ exit: 0 });
  });

  it('is the same where a link stands for an older file, and leads to it or nowhere', async () => {
    const [first = ''] = segments(scratch);
    const [there, elsewhere] = [join(scratch.folder, 'segments', first), join(scratch.folder, first)];
    renameSync(there, elsewhere);
    symlinkSync(elsewhere, there);
    expect(await scratch.verify()).toMatchObject({ exit: 0 });
    for (const target of [join(scratch.folder, 'nowhere'), there]) {
      rmSync(there);
      symlinkSync(target, there);
      expect(await scratch.verify()).toMatchObject({ exit: 6, segments: { verified: 2, missing: 1 } });
      const reader = openLedgerReader(scratch.path);
      const [oldest] = reader.all({ order: 'asc', limit: 1 }).rows;
      expect(oldest?.type).toBe('segment_opened');
      reader.close();
    }
    rmSync(there);
    renameSync(elsewhere, there);
  });

  it('holds receipts and anchors of all its files against it', async () => {
    const { headsLog, path } = scratch;
    const seqs = [5, 1030, 2100];
    const db = [...segments(scratch).map((name) => join(scratch.folder, 'segments', name)), path];
    const leaves = db.flatMap((file) => {
      const one = openReadOnly(file);
      try {
        return one
          .prepare<[], { seq: number; hash: Buffer }>('SELECT seq, hash FROM entry')
          .all()
          .filter(({ seq }) => seqs.includes(seq))
          .map(({ seq, hash }) => ({ seq, leaf: hash.toString('hex') }));
      } finally {
        one.close();
      }
    });
    const check = async (receipts: typeof leaves): Promise<unknown> => {
      const { verdict, finding } = await verifyLedger(path, { headsLog, receipts });
      return finding === null ? verdict : [finding.class, finding.seq];
    };
    expect(leaves).toHaveLength(3);
    expect(await check(leaves)).toBe('ok');
    for (const { seq } of leaves) {
      const forged = leaves.map((one) => (one.seq === seq ? { seq, leaf: 'ab'.repeat(32) } : one));
      expect(await check(forged)).toEqual(['receipt', seq]);
    }
    const anchor = { size: 1500, root: 'ab'.repeat(32), source: 'a file' };
    expect((await verifyLedger(path, { headsLog, anchors: [anchor] })).finding).toMatchObject({
      class: 'anchor',
      seq: 1500,
    });
    const [first = ''] = segments(scratch);
    const [from, to] = [join(scratch.folder, 'segments', first), join(scratch.folder, first)];
    renameSync(from, to);
    const { reasons } = await verifyLedger(path, { headsLog, receipts: leaves });
    expect(reasons.at(-1)).toBe(
      '1 of the receipts and anchors could not be checked: their entries are in files that are not there',
    );
    expect(await check(leaves.map((one) => ({ ...one, leaf: 'ab'.repeat(32) })))).toEqual(['receipt', 1030]);
    renameSync(to, from);
  });

  it('is verified as a backup, with its closed files beside it', async () => {
    const target = join(scratch.folder, 'backup');
    await backupLedger({ ledger: scratch.path, target, nowMs: 1, version: '0.1.0' });
    const { headsLog } = scratch;
    const path = join(target, 'ledger.db');
    expect(await verifyLedger(path, { headsLog, backup: true })).toMatchObject({
      verdict: 'ok',
      segments: { verified: 3, missing: 0 },
    });
    rmSync(target, { recursive: true });
  });

  it('lets previews of older files expire by an entry of a later one, and by nothing else', async () => {
    const own = new Scratch();
    await fillSeveral(own);
    const [first = ''] = segments(own);
    const path = join(own.folder, 'segments', first);
    const dropped = (text: string): void =>
      attack(path, (db) => withoutTriggers(db, () => void db.exec(`DELETE FROM blob WHERE ${text}`)));
    const db = openReadOnly(path);
    const count = db.prepare<[], number>('SELECT count(*) FROM blob WHERE seq <= 100').pluck().get() ?? 0;
    db.close();
    const ledger = await own.open();
    await ledger.append({
      entries: [{ type: 'previews_expired', ts: 1, runId: null, data: { count, from: 1, to: 100 } }],
    });
    await ledger.close();
    expect(await own.verify()).toMatchObject({ verdict: 'ok', expired: count });
    dropped('seq <= 100');
    expect(await own.verify()).toMatchObject({ verdict: 'ok', expired: count });
    dropped('seq <= 101 OR seq = (SELECT max(seq) FROM blob)');
    expect((await own.verify()).finding).toMatchObject({ class: 'blob' });
    own.remove();
  });

  it('holds no closed file of a schema version that its newest does not know either', async () => {
    const own = new Scratch();
    await fillSeveral(own);
    const [, second = ''] = segments(own);
    attack(join(own.folder, 'segments', second), (db) => void db.pragma('user_version=2'));
    expect(await own.verify()).toMatchObject({ exit: 4, finding: { class: 'segment' } });
    own.remove();
  });

  it('may have its newest file under its closed name as well, where a crash was copied', async () => {
    const own = await new Scratch().fill();
    const { store } = openStore({
      path: own.path,
      privateKey: SIGNING_KEY,
      sealKeyPath: own.sealKey,
      headsLog: own.headsLog,
      durability: 'fsync',
      nowMs: own.nowMs,
      openDatabase: openWriter,
    });
    expect(store.endFile(own.nowMs)).toBe(true);
    const closed = join(own.folder, 'segments', `1-1-${store.tip.seq}.db`);
    store.close();
    mkdirSync(join(own.folder, 'segments'));
    copyFileSync(own.path, closed);
    expect(await own.verify()).toMatchObject({ verdict: 'ok', segments: { verified: 1, missing: 0 } });
    attack(closed, (db) => withoutTriggers(db, () => void db.exec('DELETE FROM blob')));
    expect((await own.verify()).finding).toMatchObject({ class: 'segment' });
    own.remove();
  });

  it('tells of its progress over the whole', async () => {
    const progress: string[] = [];
    const { headsLog } = scratch;
    const onProgress = (checked: number, total: number): void => void progress.push(`${checked}/${total}`);
    const { entries } = await verifyLedger(scratch.path, { headsLog, onProgress });
    expect(progress.at(-1)).toBe(`${entries}/${entries}`);
    expect(new Set(progress.map((text) => text.split('/')[1]))).toEqual(new Set([String(entries)]));
  });
});
