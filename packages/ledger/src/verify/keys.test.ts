import { renameSync, rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Altered, said } from '../../testing/altered.js';
import type { Copy } from '../../testing/attacks/book.js';
import { fillRun, keyFromSeed, SIGNING_KEY, writeKeyFile } from '../../testing/scratch.js';
import { verifyLedger } from '../index.js';
import { readKeys } from './keys.js';

let ledger: Altered;
beforeAll(async () => {
  ledger = await Altered.write((open) => fillRun(open, 'run', 1));
});
afterAll(() => ledger.remove());

const OTHER = 'the seal key of this home is not the one that its newest seal names';

describe('the seal key of the home', () => {
  it.each<readonly [string, (copy: Copy) => void, string]>([
    ['is the one that the newest seal names', () => undefined, 'unproven'],
    ['waits beside its place', ({ sealKey }) => renameSync(sealKey, `${sealKey}.next`), 'unproven'],
    [
      'waits beside another',
      ({ sealKey }) => {
        renameSync(sealKey, `${sealKey}.next`);
        writeKeyFile(sealKey, keyFromSeed(9));
      },
      'unproven',
    ],
    ['is another', ({ sealKey }) => writeKeyFile(sealKey, keyFromSeed(9)), `seal at 6: ${OTHER}`],
    ['is the log key', ({ sealKey }) => writeKeyFile(sealKey, SIGNING_KEY), `seal at 6: ${OTHER}`],
    ['is gone', ({ sealKey }) => rmSync(sealKey), `seal at 6: ${OTHER}`],
  ])('%s', async (_, change, finding) => {
    const copy = ledger.copy();
    change(copy);
    const { path, sealKey: sealKeyPath } = copy;
    expect(said(await verifyLedger(path, { sealKeyPath }))).toBe(finding);
    copy.remove();
  });

  it('is read before and after the ledger is', () => {
    const copy = ledger.copy();
    const handOver = (): void => {
      writeKeyFile(`${copy.sealKey}.next`, keyFromSeed(9));
      renameSync(`${copy.sealKey}.next`, copy.sealKey);
    };
    const [before, after, ...rest] = readKeys(handOver, copy.sealKey);
    expect(before?.current).toMatch(/^[A-Za-z0-9+/]{43}=$/);
    expect(after?.current).toMatch(/^[A-Za-z0-9+/]{43}=$/);
    expect(after?.current).not.toBe(before?.current);
    expect(rest).toEqual([]);
    copy.remove();
  });

  it('is not asked for where it is not given, and the ledger is read all the same', () => {
    let taken = 0;
    expect(readKeys(() => (taken += 1), undefined)).toEqual([]);
    expect(taken).toBe(1);
  });
});
