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
