import {
  appendFileSync,
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  attack,
  fillRun,
  fillRuns,
  runEnd,
  Scratch,
  SIGNING_KEY,
  withoutTriggers,
} from '../../testing/scratch.js';
import { backupLedger, openLedgerReader, planRestore, restoreLedger, verifyLedger } from '../index.js';

const NOW = 1_770_000_000_000;

let scratch: Scratch;
let backup: string;
let copies = 0;
beforeEach(async () => {
  scratch = await new Scratch().fill(fillRuns);
  backup = join(scratch.folder, 'backup');
  await takeBackup(backup);
});
afterEach(() => scratch.remove());

const takeBackup = (target: string): Promise<unknown> =>
  backupLedger({
    ledger: scratch.path,
    target,
    nowMs: NOW,
    version: '0.1.0',
  });

/** The ledger goes on after the backup. */
async function goOn(run: string): Promise<number> {
  const ledger = await scratch.open();
  await fillRun(ledger, run, 2);
  await ledger.append({ entries: [runEnd(run)] });
  await ledger.close();
  return (await scratch.verify()).entries;
}

async function restore(
  from = backup,
  reason = 'the disk lied',
  headsLog: string | undefined = scratch.headsLog,
  planned: () => void = () => undefined,
): Promise<void> {
  const reader = openLedgerReader(join(from, 'ledger.db'));
  const { fingerprint } = reader.genesis;
  reader.close();
  const { path: ledger } = scratch;
  const plan = await planRestore({ backup: from, ledger, headsLog, fingerprint });
  planned();
  restoreLedger({
    plan,
    backup: from,
    ledger,
    segments: join(scratch.folder, 'segments'),
    sealKeyPath: scratch.sealKey,
    headsLog,
    privateKey: SIGNING_KEY,
    aside: join(scratch.folder, `aside-${(copies += 1)}`),
    reason,
    nowMs: NOW,
  });
}

const verify = () => verifyLedger(scratch.path, { headsLog: scratch.headsLog, sealKeyPath: scratch.sealKey });

describe('a restored ledger', () => {
  it('says so for ever, goes on with a fresh key, and verifies with what was given up in a note', async () => {
    const size = (await scratch.verify()).entries;
    const known = await goOn('later');
    const oldKey = readFileSync(scratch.sealKey, 'utf8');
    await restore();
    expect(readFileSync(scratch.sealKey, 'utf8')).not.toBe(oldKey);
    const report = await verify();
    expect(report).toMatchObject({ verdict: 'ok', exit: 0, entries: size + 2 });
    const note = `restored at 2026-02-02T02:40:00.000Z from a backup of ${size} entries, entry ${size + 1}: ${known - size} later entries were given up (the disk lied)`;
    expect(report.notes).toContain(note);

    const lines = readFileSync(scratch.headsLog, 'utf8').trimEnd().split('\n').slice(-3);
    expect(lines[0]).toMatch(new RegExp(`^${known} `));
    expect(lines[1]).toMatch(new RegExp(`^restored ${size} [A-Za-z0-9+/]{43}= ${NOW}$`));
    expect(lines[2]).toMatch(new RegExp(`^${size + 2} `));

    await goOn('after');
    await goOn('and-again');
    expect(await verify()).toMatchObject({ verdict: 'ok', exit: 0, notes: expect.arrayContaining([note]) });
    const reader = openLedgerReader(scratch.path);
    const seals = reader.byType('seal', { order: 'asc' }).rows.map((row) => row.data['n']);
    reader.close();
    expect(seals).toEqual(seals.map((_, at) => at + 1));
  });

  it('keeps what was there before, untouched', async () => {
    await goOn('later');
    const before = readFileSync(scratch.path);
    const key = readFileSync(scratch.sealKey, 'utf8');
    await restore();
    const aside = join(scratch.folder, `aside-${copies}`);
    expect(readFileSync(join(aside, 'ledger.db')).equals(before)).toBe(true);
    expect(readdirSync(aside)).toContain('seal');
    expect(readFileSync(join(aside, 'seal'), 'utf8')).toBe(key);
  });

  it('can be restored again, to the same backup and to one of later', async () => {
    await goOn('later');
    await restore();
    await goOn('after');
    await restore();
    await goOn('once-more');
    const later = join(scratch.folder, 'later');
    await takeBackup(later);
    await goOn('given-up');
    await restore(later);
    await goOn('end');
    const { verdict, notes } = await verify();
    expect(verdict).toBe('ok');
    expect(notes.filter((note) => note.startsWith('restored at'))).toHaveLength(2);
  });

  it('may replace one that is gone or damaged', async () => {
    const size = (await scratch.verify()).entries;
    const known = await goOn('later');
    for (const end of ['', '-wal', '-shm']) rmSync(scratch.path + end, { force: true });
    await restore();
    expect((await verify()).notes[0]).toContain(`${known - size} later entries were given up`);
    expect(await verify()).toMatchObject({ verdict: 'ok' });
    writeFileSync(scratch.path, 'damaged');
    await restore();
    expect(await verify()).toMatchObject({ verdict: 'ok' });
  });
});

describe('a backup is not restored', () => {
  it('where a file of it was changed', async () => {
    attack(join(backup, 'ledger.db'), (db) =>
      withoutTriggers(db, () => db.exec(`UPDATE entry SET body = replace(body, 'mac', 'mic') WHERE seq = 5`)),
    );
    await expect(restore()).rejects.toMatchObject({ code: 'ledger_corrupt' });
    expect(existsSync(scratch.path)).toBe(true);
  });

  it('where a file of it was changed after it was verified: nothing is moved', async () => {
    await goOn('later');
    const before = readFileSync(scratch.path);
    const swap = (): void =>
      attack(join(backup, 'ledger.db'), (db) =>
        withoutTriggers(db, () => db.exec('UPDATE entry SET ts = ts + 1 WHERE seq = 1')),
      );
    await expect(restore(backup, '', scratch.headsLog, swap)).rejects.toMatchObject({
      code: 'ledger_corrupt',
    });
    expect(readFileSync(scratch.path).equals(before)).toBe(true);
    expect(readdirSync(scratch.folder).filter((name) => name.includes('.new-'))).toEqual([]);
    expect(await verify()).toMatchObject({ verdict: 'ok' });
  });

  it('where it is of a branch that was given up', async () => {
    await goOn('later');
    const branch = join(scratch.folder, 'branch');
    await takeBackup(branch);
    await restore();
    await goOn('other');
    await expect(restore(branch)).rejects.toMatchObject({ code: 'ledger_corrupt' });
  });
});

describe('a rollback that nobody declared', () => {
  /** Why the ledger does not open. */
  const refusal = () =>
    scratch.open().then(
      async (ledger) => {
        await ledger.close();
        return 'opened';
      },
      (error: unknown) => Reflect.get(Object(error), 'code'),
    );
  const put = (from: string): void => {
    for (const end of ['-wal', '-shm']) rmSync(scratch.path + end, { force: true });
    cpSync(from, scratch.path);
  };

  it('stays refused at the start and tampered in the verification', async () => {
    await goOn('later');
    put(join(backup, 'ledger.db'));
    expect(await refusal()).toBe('ledger_corrupt');
    expect((await verify()).verdict).toBe('tampered');
  });

  it('is not made good by a line in heads.log alone, and a restore that was cut off there can be done again', async () => {
    await goOn('later');
    put(join(backup, 'ledger.db'));
    const { entries, root } = await verifyLedger(scratch.path);
    const base64 = Buffer.from(root ?? '', 'hex').toString('base64');
    appendFileSync(scratch.headsLog, `restored ${entries} ${base64} ${NOW}\n`);
    rmSync(scratch.sealKey);
    expect((await verify()).finding).toMatchObject({ class: 'heads_log', seq: entries + 1 });
    expect(['ledger_corrupt', 'key_missing']).toContain(await refusal());
    await restore();
    expect(await verify()).toMatchObject({ verdict: 'ok' });
  });

  it('is seen behind a restore as well', async () => {
    await goOn('later');
    await restore();
    await goOn('after');
    const copy = join(scratch.folder, 'copy.db');
    cpSync(scratch.path, copy);
    await goOn('hidden');
    put(copy);
    expect(await refusal()).toBe('ledger_corrupt');
    expect((await verify()).verdict).toBe('tampered');
  });

  it('is not made good by an entry alone: whoever holds the log key, and not heads.log, declares nothing', async () => {
    const elsewhere = join(scratch.folder, 'elsewhere', 'heads.log');
    await restore(backup, 'nothing to see here', elsewhere);
    const { finding } = await verify();
    expect(finding).toMatchObject({
      class: 'heads_log',
      detail: expect.stringContaining('no line of the heads log'),
    });
    expect(await refusal()).toBe('ledger_corrupt');
    // Where the log began anew behind it, it cannot know.
    rmSync(scratch.headsLog);
    expect(await refusal()).toBe('opened');
    expect(await verify()).toMatchObject({ verdict: 'ok' });
  });

  it('cannot hide in a line that says less than the one before it', async () => {
    const lines = readFileSync(scratch.headsLog, 'utf8').trimEnd().split('\n');
    appendFileSync(scratch.headsLog, `${lines[1]}\n`);
    expect((await verify()).finding).toMatchObject({
      class: 'heads_log',
      detail: 'the heads log is damaged',
    });
  });
});

describe('an entry that speaks of a restore', () => {
  it('is found where the log key did not sign it, or it names another size', async () => {
    await restore();
    const data = (() => {
      const reader = openLedgerReader(scratch.path);
      const row = reader.byType('restored').rows[0];
      reader.close();
      return row?.data ?? {};
    })();
    for (const [at, forged] of [data, { ...data, known_size: 999 }].entries()) {
      const copy = new Scratch();
      copy.create();
      const ledger = await copy.open();
      await ledger.append({ entries: [{ type: 'restored', ts: 1, runId: null, data: forged }] });
      await ledger.close();
      expect([at, (await copy.verify()).finding?.class]).toEqual([at, 'seal']);
      copy.remove();
    }
  });
});
