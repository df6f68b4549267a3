import {
  appendFileSync,
  closeSync,
  copyFileSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { attack, fillRun, fillRuns, keyFromSeed, Scratch, withoutTriggers } from '../../testing/scratch.js';
import { openWriter } from '../schema/connection.js';

describe('opening a ledger for writing', () => {
  let scratch: Scratch;
  beforeEach(async () => {
    scratch = await new Scratch().fill(fillRuns);
  });
  afterEach(() => scratch.remove());

  /** The code with which opening is refused. */
  const refusal = (): Promise<unknown> =>
    scratch.open().then(
      () => 'opened',
      (error: unknown) => Reflect.get(Object(error), 'code'),
    );
  const sql = (text: string) => attack(scratch.path, (db) => withoutTriggers(db, () => db.exec(text)));

  it('is refused where there is none, and none is made', async () => {
    rmSync(scratch.path);
    expect(await refusal()).toBe('ledger_missing');
    expect(await refusal()).toBe('ledger_missing');
  });

  it('is refused for a file that is no ledger', async () => {
    writeFileSync(scratch.path, '');
    expect(await refusal()).toBe('ledger_missing');
    writeFileSync(scratch.path, Buffer.alloc(8192, 'no database'));
    expect(await refusal()).toBe('ledger_missing');
    rmSync(scratch.path);
    mkdirSync(scratch.path);
    expect(await refusal()).toBe('ledger_missing');
  });

  it('is refused where pages of the file are damaged', async () => {
    const file = openSync(scratch.path, 'r+');
    writeSync(file, Buffer.alloc(statSync(scratch.path).size - 4096, 0xff), 0, undefined, 4096);
    closeSync(file);
    expect(await refusal()).toBe('ledger_corrupt');
  });

  it('is refused with another signing key', async () => {
    await expect(scratch.open({ signingKey: { privateKey: keyFromSeed(9) } })).rejects.toMatchObject({
      code: 'ledger_unsafe',
    });
  });

  it.each([
    ['the schema differs', 'DROP VIEW runs'],
    ['the genesis record differs', `UPDATE genesis SET record = replace(record, '0.1.0', '0.1.1')`],
    ['the head is gone', 'DELETE FROM head'],
    ['the head is unsigned', `UPDATE head SET note = replace(note, '34', '32')`],
    ['the frontier differs', 'UPDATE head SET frontier = zeroblob(length(frontier))'],
    ['the last entry is gone', 'DELETE FROM entry WHERE seq = 34'],
    ['an entry since the mark is gone', 'DELETE FROM entry WHERE seq = 30'],
    [
      'an entry since the mark was edited',
      `UPDATE entry SET body = replace(body, 'mac', 'mic') WHERE seq = 33`,
    ],
    ['everything is gone', 'DELETE FROM entry'],
  ])('is refused where %s', async (_, text) => {
    sql(text);
    expect(await refusal()).toBe('ledger_corrupt');
  });

  it('is refused where the heads log knows more, another root or another genesis, or is damaged', async () => {
    const log = readFileSync(scratch.headsLog, 'utf8');
    const lastRoot = log.trimEnd().split('\n').at(-1)?.split(' ')[1] ?? '';
    const forged = Buffer.alloc(32, 1).toString('base64');
    for (const changed of [
      `${log}35 ${forged} 1\n`,
      log.replace(lastRoot, forged),
      log.replace(/^./, log.startsWith('0') ? '1' : '0'),
      `${log}what\n`,
    ]) {
      writeFileSync(scratch.headsLog, changed);
      expect(await refusal()).toBe('ledger_corrupt');
    }
    writeFileSync(scratch.headsLog, log);
    await (await scratch.open()).close();
  });

  it('is refused for an older copy with the right key', async () => {
    copyFileSync(scratch.path, `${scratch.path}.old`);
    const ledger = await scratch.open();
    await fillRun(ledger, 'later', 1);
    await ledger.close();
    copyFileSync(`${scratch.path}.old`, scratch.path);
    expect(await refusal()).toBe('ledger_corrupt');
  });

  it('is refused for a copy that went its own way', async () => {
    copyFileSync(scratch.path, `${scratch.path}.old`);
    copyFileSync(scratch.sealKey, `${scratch.sealKey}.old`);
    const one = await scratch.open();
    await fillRun(one, 'one', 1);
    await one.close();
    copyFileSync(`${scratch.path}.old`, scratch.path);
    copyFileSync(`${scratch.sealKey}.old`, scratch.sealKey);
    const other = await scratch.open({ headsLog: `${scratch.headsLog}.other` });
    await fillRun(other, 'other', 3);
    await other.close();
    expect(await refusal()).toBe('ledger_corrupt');
  });

  it('cuts an unfinished line off the heads log and goes on', async () => {
    appendFileSync(scratch.headsLog, '34 AAA');
    const ledger = await scratch.open();
    expect(ledger.memory).toBe('matched');
    await fillRun(ledger, 'later', 1);
    await ledger.close();
    expect(await scratch.verify()).toMatchObject({ verdict: 'ok', entries: 39, memory: { size: 39 } });
  });

  it('starts a new heads log where it is gone, and says so', async () => {
    rmSync(scratch.headsLog);
    const ledger = await scratch.open();
    expect(ledger.memory).toBe('recreated');
    await ledger.close();
    const [fingerprint, ...lines] = readFileSync(scratch.headsLog, 'utf8').trimEnd().split('\n');
    expect(fingerprint).toBe(ledger.genesisFingerprint);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/^34 [A-Za-z0-9+/]{43}= [0-9]+$/);
    expect(await scratch.verify()).toMatchObject({ verdict: 'ok', memory: { size: 34 } });
  });

  it('keeps the heads log private, with a line at the first commit, at each run’s end and at shutdown', () => {
    const sizes = readFileSync(scratch.headsLog, 'utf8')
      .trimEnd()
      .split('\n')
      .slice(1)
      .map((line) => line.split(' ')[0]);
    expect(sizes).toEqual(['1', '12', '23', '34']);
    expect(statSync(scratch.headsLog).mode & 0o777).toBe(0o600);
  });

  it('writes a line to the heads log every 1,024 entries', async () => {
    const ledger = await scratch.open();
    for (let i = 0; i < 3000; i += 1) {
      void ledger.append({ entries: [{ type: 'shim_health', ts: 1, runId: 'r', data: { i } }] });
    }
    await ledger.flushHead('idle');
    await ledger.close();
    const lines = readFileSync(scratch.headsLog, 'utf8').trimEnd().split('\n').slice(5);
    expect(lines.map((line) => line.split(' ')[0])).toEqual(['1059', '2084', '3037']);
  });

  it('asserts every setting that durability needs', () => {
    for (const [durability, synchronous] of [
      ['fsync', 2],
      ['process', 1],
    ] as const) {
      const db = openWriter(scratch.path, durability);
      const settings = [
        'journal_mode',
        'synchronous',
        'recursive_triggers',
        'trusted_schema',
        'cell_size_check',
      ];
      expect(settings.map((name) => db.pragma(name, { simple: true }))).toEqual([
        'wal',
        synchronous,
        1,
        0,
        1,
      ]);
      db.close();
    }
  });
});
