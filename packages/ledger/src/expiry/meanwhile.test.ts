import { linkSync, readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { fillRun, Scratch } from '../../testing/scratch.js';
import { LedgerFiles } from '../read/files.js';
import { OneFile } from '../read/one-file.js';
import { planExpiry } from './plan.js';
import { survey } from './survey.js';

let scratch: Scratch;
beforeEach(() => {
  scratch = new Scratch();
  scratch.create();
});
afterEach(() => scratch.remove());

/** Previews up to an entry, in all files. */
function previewsUpTo(files: LedgerFiles<OneFile>, seq: number): number {
  let sum = 0;
  for (const { db } of files.oldestFirst())
    sum += db.prepare<[number], number>('SELECT count(*) FROM blob WHERE seq <= ?').pluck().get(seq) ?? 0;
  return sum;
}

it.each([1, 2, 3, 4, 5, 6, 7, 8])(
  'counts every preview of its range, also where the ledger goes on in another file after %d questions',
  async (questions) => {
    for (const file of ['a', 'b', 'c']) {
      const ledger = await scratch.open({ segmentBytes: 1 });
      await fillRun(ledger, `run-${file}`, 3);
      await ledger.close();
    }
    // As it is between the last entry of a file and the moment at which the next one takes its place.
    const next = join(scratch.folder, 'next.db');
    const folder = join(scratch.folder, 'segments');
    renameSync(scratch.path, next);
    linkSync(join(folder, readdirSync(folder).toSorted()[1] ?? ''), scratch.path);
    const files = new LedgerFiles(scratch.path, (file) => new OneFile(file));
    let asked = 0;
    const places = (): (typeof files)['places'] => Reflect.get(LedgerFiles.prototype, 'places', files);
    Object.defineProperty(files, 'places', {
      get: () => {
        const found = places();
        asked += 1;
        if (asked === questions) renameSync(next, scratch.path);
        return found;
      },
    });
    const terms = { before: Number.POSITIVE_INFINITY, nowMs: scratch.nowMs };
    const range = await planExpiry(files, terms, survey(files));
    expect(range?.count).toBe(previewsUpTo(files, range?.to ?? 0));
    expect(range?.count).toBeGreaterThanOrEqual(6);
    files.close();
  },
);
