import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  truncateSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fillRun, keyFromSeed, runStart, Scratch, writeKeyFile } from '../../testing/scratch.js';
import { verifyLedger } from '../index.js';

/** The key before and after the newest seal, and the ledger before and after it. */
let scratch: Scratch;
let older: string;
beforeEach(async () => {
  scratch = await new Scratch().fill((ledger) => fillRun(ledger, 'a', 2));
  older = `${scratch.sealKey}.older`;
  copyFileSync(scratch.path, `${scratch.path}.older`);
  copyFileSync(scratch.sealKey, older);
  const ledger = await scratch.open();
  await fillRun(ledger, 'b', 2);
  await ledger.close();
});
afterEach(() => scratch.remove());

const next = () => `${scratch.sealKey}.next`;
const opening = async (headsLog = scratch.headsLog): Promise<unknown> => {
  try {
    await (await scratch.open({ headsLog })).close();
    return 'opened';
  } catch (error) {
    return Reflect.get(Object(error), 'code');
  }
};
const verdict = async () => {
  const { path, headsLog, sealKey: sealKeyPath } = scratch;
  const { verdict: said, finding } = await verifyLedger(path, { headsLog, sealKeyPath });
  return finding?.class ?? said;
};

describe('a hand-over of the seal key that a crash cut off', () => {
  it('before COMMIT leaves a successor that nobody named: the key stays, the successor goes', async () => {
    writeKeyFile(next(), keyFromSeed(3));
    expect(await verdict()).toBe('ok');
    const key = readFileSync(scratch.sealKey, 'utf8');
    expect(await opening()).toBe('opened');
    expect(readFileSync(scratch.sealKey, 'utf8')).toBe(key);
    expect(existsSync(next())).toBe(false);
  });

  it('while the successor was written leaves part of one', async () => {
    writeKeyFile(next(), keyFromSeed(3));
    truncateSync(next(), 40);
    expect(await opening()).toBe('opened');
    expect(existsSync(next())).toBe(false);
  });

  it('between COMMIT and rename is finished by the next start', async () => {
    copyFileSync(scratch.sealKey, next());
    copyFileSync(older, scratch.sealKey);
    expect(await verdict()).toBe('ok');
    const named = readFileSync(next(), 'utf8');
    expect(await opening()).toBe('opened');
    expect(readFileSync(scratch.sealKey, 'utf8')).toBe(named);
    expect(existsSync(next())).toBe(false);
    expect(statSync(scratch.sealKey).mode & 0o777).toBe(0o600);
    expect(await verdict()).toBe('ok');
  });

  it('leaves the old key’s bytes nowhere in the folder of the keys', async () => {
    const key = readFileSync(scratch.sealKey, 'utf8').split('\n')[1] ?? '';
    const ledger = await scratch.open();
    await fillRun(ledger, 'c', 1);
    await ledger.close();
    expect(key.length).toBeGreaterThan(40);
    expect(readFileSync(scratch.sealKey, 'utf8')).not.toContain(key);
  });
});

describe('a seal key that is not the one that the newest seal names', () => {
  it('is refused, and found: an older key, a foreign one, or none', async () => {
    const newest = `${scratch.sealKey}.newest`;
    copyFileSync(scratch.sealKey, newest);
    copyFileSync(older, scratch.sealKey);
    expect([await opening(), await verdict()]).toEqual(['ledger_corrupt', 'seal']);
    writeKeyFile(scratch.sealKey, keyFromSeed(3));
    expect([await opening(), await verdict()]).toEqual(['ledger_corrupt', 'seal']);
    rmSync(scratch.sealKey);
    expect([await opening(), await verdict()]).toEqual(['key_missing', 'seal']);
    copyFileSync(newest, scratch.sealKey);
    expect([await opening(), await verdict()]).toEqual(['opened', 'ok']);
  });

  it('shows that the ledger was put back, even where heads.log went with it', async () => {
    copyFileSync(`${scratch.path}.older`, scratch.path);
    rmSync(scratch.headsLog);
    expect(await opening()).toBe('ledger_corrupt');
    expect(await verdict()).toBe('seal');
  });
});

describe('a seal key that cannot be written', () => {
  it('stops the commit that would seal, and everything goes on once it can be', async () => {
    const ledger = await scratch.open();
    mkdirSync(next());
    await ledger.append({ entries: [runStart('c')] });
    await expect(ledger.flushHead('shutdown')).rejects.toMatchObject({ code: 'audit_unavailable' });
    rmdirSync(next());
    await expect
      .poll(
        () =>
          ledger.append({ entries: [runStart('d')] }).then(
            ({ ok }) => ok,
            () => false,
          ),
        { timeout: 20_000 },
      )
      .toBe(true);
    await ledger.close();
    expect(await verdict()).toBe('ok');
  });

  it('after COMMIT takes nothing back: the seal stands, and the next start hands the key over', async () => {
    const ledger = await scratch.open();
    const kept = `${scratch.sealKey}.kept`;
    renameSync(scratch.sealKey, kept);
    mkdirSync(join(scratch.sealKey, 'in the way'), { recursive: true });
    await ledger.append({ entries: [runStart('c')] });
    await expect(ledger.close()).rejects.toMatchObject({ code: 'audit_unavailable' });
    rmSync(scratch.sealKey, { recursive: true });
    renameSync(kept, scratch.sealKey);
    expect(existsSync(next())).toBe(true);
    expect(await verdict()).toBe('ok');
    expect(await opening()).toBe('opened');
    expect(existsSync(next())).toBe(false);
    expect(await verdict()).toBe('ok');
  });
});

describe('a successor that is made before its seal is due', () => {
  const fillAhead = async () => {
    const ledger = await scratch.open();
    const entries = Array.from({ length: 300 }, (_, i) => ({
      type: 'shim_health' as const,
      ts: i,
      runId: 'b',
      data: { i },
    }));
    await ledger.append({ entries });
    await expect.poll(() => existsSync(next()), { timeout: 20_000 }).toBe(true);
    return ledger;
  };

  it('waits beside the key, which verifies, and is the one that the seal names', async () => {
    const ledger = await fillAhead();
    expect(await verdict()).toBe('ok');
    await expect.poll(() => readFileSync(next(), 'utf8')).toMatch(/END PRIVATE KEY/);
    const waiting = readFileSync(next(), 'utf8');
    await ledger.flushHead('shutdown');
    expect(readFileSync(scratch.sealKey, 'utf8')).toBe(waiting);
    await ledger.close();
    expect(await verdict()).toBe('ok');
  });

  it('is thrown away by a start that finds it unnamed', async () => {
    const ledger = await fillAhead();
    await expect.poll(() => readFileSync(next(), 'utf8')).toMatch(/END PRIVATE KEY/);
    const key = readFileSync(scratch.sealKey);
    // What a kill leaves at this moment.
    const other = await new Scratch().fill(() => Promise.resolve());
    for (const end of ['', '-wal']) copyFileSync(scratch.path + end, other.path + end);
    for (const end of ['', '.next']) copyFileSync(scratch.sealKey + end, other.sealKey + end);
    rmSync(other.headsLog);
    copyFileSync(scratch.headsLog, other.headsLog);
    await ledger.close();
    const again = await other.open();
    expect(existsSync(`${other.sealKey}.next`)).toBe(false);
    expect(readFileSync(other.sealKey)).toEqual(key);
    await again.close();
    expect(await other.verify()).toMatchObject({ verdict: 'ok' });
    other.remove();
  });

  it('is made again where somebody took it away: a seal names no key that is lost', async () => {
    const ledger = await fillAhead();
    await expect.poll(() => readFileSync(next(), 'utf8')).toMatch(/END PRIVATE KEY/);
    rmSync(next());
    await ledger.close();
    expect(await verdict()).toBe('ok');
    expect(await opening()).toBe('opened');
  });
});

describe('a hand-over beside the commits that follow', () => {
  it('stops the writer where it fails, takes nothing back, and is finished when it can be', async () => {
    const ledger = await scratch.open();
    const fill = (count: number) =>
      ledger.append({
        entries: Array.from({ length: count }, (_, i) => ({
          type: 'shim_health' as const,
          ts: i,
          runId: 'b',
          data: { i },
        })),
      });
    const kept = `${scratch.sealKey}.kept`;
    renameSync(scratch.sealKey, kept);
    mkdirSync(join(scratch.sealKey, 'in the way'), { recursive: true });
    expect(await fill(1100)).toMatchObject({ ok: true });
    const refused = () =>
      fill(1).then(
        () => 'taken',
        (error: unknown) => Reflect.get(Object(error), 'code'),
      );
    await expect.poll(refused, { timeout: 20_000 }).toBe('audit_unavailable');
    rmSync(scratch.sealKey, { recursive: true });
    renameSync(kept, scratch.sealKey);
    await expect.poll(refused, { timeout: 20_000 }).toBe('taken');
    await ledger.close();
    expect(existsSync(next())).toBe(false);
    expect(await verdict()).toBe('ok');
  });
});
