import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fillRun, Scratch } from '../../testing/scratch.js';
import { openLedgerReader } from '../index.js';

const OTHER_DISK = '/dev/shm';
const hasOther = existsSync(OTHER_DISK) && statSync(OTHER_DISK).dev !== statSync(tmpdir()).dev;

let scratch: Scratch;
let elsewhere: string;
const folder = (): string => join(scratch.folder, 'segments');

beforeEach(() => {
  scratch = new Scratch();
  scratch.create();
  elsewhere = hasOther ? mkdtempSync(join(OTHER_DISK, 'subl-segments-')) : '';
});
afterEach(() => {
  scratch.remove();
  rmSync(elsewhere, { recursive: true, force: true });
});

describe('a full file', () => {
  it.each([
    ['that is a link to nowhere', () => symlinkSync(join(scratch.folder, 'nowhere'), folder()), true],
    ['that lies on another file system', () => symlinkSync(elsewhere, folder()), hasOther],
  ])('takes more while its folder cannot: %s', async (_, spoil, isHere) => {
    if (!isHere) return;
    spoil();
    const ledger = await scratch.open({ segmentBytes: 1 });
    await fillRun(ledger, 'run-a', 800);
    const reader = openLedgerReader(scratch.path);
    expect(reader.closedFiles).toEqual({ there: [], missing: [] });
    expect(reader.size).toBeGreaterThan(2000);
    reader.close();
    expect(readdirSync(scratch.folder).filter((name) => name.includes('probe'))).toEqual([]);
    unlinkSync(folder());
    await fillRun(ledger, 'run-b', 400);
    await ledger.close();
    expect(readdirSync(folder()).length).toBeGreaterThan(0);
    expect(await scratch.verify()).toMatchObject({ verdict: 'ok' });
  });
});

it('is not opened where its folder is none, and is as soon as that is one', async () => {
  const ledger = await scratch.open({ segmentBytes: 1 });
  await fillRun(ledger, 'run-a', 400);
  await ledger.close();
  const away = join(scratch.folder, 'away');
  renameSync(folder(), away);
  writeFileSync(folder(), 'x');
  await expect(scratch.open()).rejects.toMatchObject({ code: 'ledger_unsafe' });
  const unchecked = { verdict: 'unchecked', reasons: [expect.stringContaining('cannot be listed')] };
  expect(await scratch.verify()).toMatchObject(unchecked);
  rmSync(folder());
  renameSync(away, folder());
  await (await scratch.open()).close();
  expect(await scratch.verify()).toMatchObject({ verdict: 'ok' });
});

it('leaves a folder that is there as it is', async () => {
  mkdirSync(folder(), { mode: 0o700 });
  writeFileSync(join(folder(), '.probe'), 'what a crash left');
  const ledger = await scratch.open({ segmentBytes: 1 });
  await fillRun(ledger, 'run-a', 400);
  await ledger.close();
  expect(readdirSync(folder())).toEqual(['1-1-1027.db']);
});
