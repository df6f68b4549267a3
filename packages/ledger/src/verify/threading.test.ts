import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Copy } from '../../testing/attacks/book.js';
import { KNOWS_OPEN_FILES, openFilesIn } from '../../testing/open-files.js';
import { attack, VERIFY_WORKER_URL, withoutTriggers, type Scratch } from '../../testing/scratch.js';
import { threeFiles } from '../../testing/three-files.js';
import { verifyLedger } from '../index.js';
import type { OpenRange, PageRange, PageSource } from './page-source.js';
import { PageReader, type PageText } from './page-text.js';
import { OneThread, Threads } from './threading.js';
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

  it('leave off for good where the caller does', async () => {
    const controller = new AbortController();
    let told = 0;
    const { verdict } = await verifyLedger(scratch.path, {
      threads: 2,
      workerUrl: VERIFY_WORKER_URL,
      signal: controller.signal,
      onProgress: () => {
        told += 1;
        controller.abort();
      },
    });
    expect([verdict, told]).toEqual(['unchecked', 1]);
  });

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

/** Pages of so many entries, so many a turn. */
class InPieces extends OneThread {
  closed = 0;
  readonly #entries: number;
  readonly #pagesATurn: number;

  constructor(entries: number, pagesATurn: number) {
    super();
    this.#entries = entries;
    this.#pagesATurn = pagesATurn;
  }

  override pages({ files, ledgerId, before }: PageRange<OpenRange>): PageSource {
    const pages: PageText[] = [];
    for (const { db, first, last } of files) {
      const reader = new PageReader(db, ledgerId);
      for (let from = first; from <= last; from += this.#entries) {
        const leaf = from === 1 ? before : reader.storedLeaf(from - 1) || leafBefore(pages);
        pages.push(reader.read(from, Math.min(last, from + this.#entries - 1), leaf));
      }
    }
    return { next: async () => pages.splice(0, this.#pagesATurn) };
  }

  override close(): void {
    this.closed += 1;
  }
}

const leafBefore = (pages: readonly PageText[]): string => pages.at(-1)?.hashed?.leaves.at(-1) ?? '';

describe('a verification', () => {
  it.each([
    [1, 1],
    [1, 100],
    [5, 1],
    [64, 1],
  ])('takes pages of %d entries, %d a turn, for the same ledger', async (entries, pagesATurn) => {
    const { headsLog, path } = scratch;
    const report = await verifyWith(new InPieces(entries, pagesATurn), path, { headsLog });
    expect(report).toEqual(await verifyWith(new OneThread(), path, { headsLog }));
    expect(report).toMatchObject({ verdict: 'ok', entries: 28 });
  });

  it('tells of its progress once a turn and at the end, and can be left off at each', async () => {
    const { headsLog, path } = scratch;
    const seen: string[] = [];
    const onProgress = (checked: number, total: number): void => void seen.push(`${checked}/${total}`);
    await verifyWith(new InPieces(64, 1), path, { headsLog, onProgress });
    expect(seen).toEqual(['12/28', '21/28', '28/28', '28/28']);
    const controller = new AbortController();
    const report = await verifyWith(new InPieces(64, 1), path, {
      headsLog,
      signal: controller.signal,
      onProgress: (checked) => void (checked === 21 && controller.abort('enough')),
    });
    expect(report).toMatchObject({ verdict: 'unchecked', entries: 21, reasons: ['enough'] });
  });

  it('names what is missing where there are no pages', async () => {
    const { headsLog, path } = scratch;
    expect((await verifyWith(new InPieces(64, 0), path, { headsLog })).finding).toEqual({
      seq: 1,
      class: 'missing',
      detail: 'it is not there, and the name of its file says so (`1-1-12.db`)',
    });
  });

  it.skipIf(!KNOWS_OPEN_FILES)('ends what it began, whatever it finds', async () => {
    for (const path of [scratch.path, `${scratch.path}.none`]) {
      const threading = new InPieces(64, 1);
      await verifyWith(threading, path, {});
      expect([threading.closed, openFilesIn(scratch.folder)]).toEqual([1, []]);
    }
  });
});
