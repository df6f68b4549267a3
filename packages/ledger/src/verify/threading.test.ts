import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Copy } from '../../testing/attacks/book.js';
import { attack, VERIFY_WORKER_URL, withoutTriggers, type Scratch } from '../../testing/scratch.js';
import { threeFiles } from '../../testing/three-files.js';
import { verifyLedger } from '../index.js';
import { Threads } from './threading.js';
import { verifyWith } from './verify.js';

/** Of 28 entries. */
let scratch: Scratch;
beforeAll(async () => {
  ({ scratch } = await threeFiles());
});
afterAll(() => scratch.remove());

const NOWHERE = pathToFileURL('/nowhere/verify-worker-main.js');

describe('the threads of a verification', () => {
  it.each([
    [28, true],
    [29, false],
    [undefined, false],
  ])('are started where there are entries enough: %s, %s', async (fewest, areThreads) => {
    const threads = new Threads(VERIFY_WORKER_URL, fewest);
    expect(threads.areThreads).toBe(false);
    const { verdict } = await verifyWith(threads, scratch.path, { headsLog: scratch.headsLog });
    expect([verdict, threads.areThreads]).toEqual(['ok', areThreads]);
  });

  it.each([
    [1, false],
    [2, true],
    [undefined, false],
  ] as const)('are as many as the caller wants: %s', async (threads, areStarted) => {
    const { headsLog, path, folder } = scratch;
    const mark = join(folder, `started-${threads}`);
    const text = `import { writeFileSync } from 'node:fs'; writeFileSync(${JSON.stringify(mark)}, '');`;
    const options = threads === undefined ? {} : { threads };
    const workerUrl = new URL(`data:text/javascript,${encodeURIComponent(text)}`);
    // Such a thread gives no pages, and one thread gives the verdict.
    expect((await verifyLedger(path, { headsLog, ...options, workerUrl })).verdict).toBe('ok');
    expect(existsSync(mark)).toBe(areStarted);
    rmSync(mark, { force: true });
  });

  it.each([
    ['ok', 2, true, '', 1],
    ['unproven', 2, false, '', 1],
    ['tampered', 2, true, `INSERT INTO dict VALUES(5, 1, '"ghost"')`, 2],
    ['tampered', undefined, true, `INSERT INTO dict VALUES(5, 1, '"ghost"')`, 1],
  ] as const)(
    'are no verdict where they find fault: %s with %s',
    async (verdict, threads, hasMemory, sql, times) => {
      const copy = Copy.of(scratch, join(scratch.folder, `copy-${verdict}-${threads}`));
      attack(copy.path, (db) => withoutTriggers(db, () => void db.exec(sql)));
      const ends: number[] = [];
      const report = await verifyLedger(copy.path, {
        ...(hasMemory ? { headsLog: copy.headsLog } : {}),
        ...(threads === undefined ? {} : { threads }),
        workerUrl: VERIFY_WORKER_URL,
        onProgress: (checked, total) => void (checked === total && ends.push(checked)),
      });
      copy.remove();
      // Said twice at the end of the entries: with the last page, and behind it.
      expect([report.verdict, ends.length / 2]).toEqual([verdict, times]);
    },
  );

  it('leave it unchecked where they cannot be started, and the verdict to one thread', async () => {
    const { headsLog, path } = scratch;
    const threads = new Threads(NOWHERE, 1);
    const report = await verifyWith(threads, path, { headsLog });
    expect([report.verdict, report.reasons]).toEqual(['unchecked', ['a thread of the verification ended']]);
    expect(await verifyLedger(path, { headsLog, threads: 2, workerUrl: NOWHERE })).toMatchObject({
      verdict: 'ok',
    });
  });
});
