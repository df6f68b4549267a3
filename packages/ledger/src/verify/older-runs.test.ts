import { afterAll, beforeAll, expect, it } from 'vitest';
import { Altered, type Change } from '../../testing/altered.js';
import { appendRow } from '../../testing/attacks/rewrite.js';
import { fillRun, runEnd } from '../../testing/scratch.js';
import type { Ledger } from '../index.js';

/** Three files, with a run in each. The first two have ended. */
let ledger: Altered;
beforeAll(async () => {
  const ended = (id: string) => async (open: Ledger) => {
    await fillRun(open, id, 1);
    await open.append({ entries: [runEnd(id)] });
  };
  ledger = await Altered.write(ended('run-a'), ended('run-b'), (open) => fillRun(open, 'run-c', 1));
});
afterAll(() => ledger.remove());

const entryOf =
  (run: string): Change =>
  (db) => {
    db.prepare('INSERT INTO dict SELECT max(id) + 1, 1, ? FROM dict').run(`"${run}"`);
    const number = db.prepare<[], number>('SELECT max(id) FROM dict').pluck().get() ?? 0;
    appendRow(db, { kind: 9, type: 'shim_health', run: number });
  };

it.each(['run-a', 'run-b'])('an entry of %s, which has ended in an older file, is found', async (run) => {
  expect(await ledger.forged(entryOf(run))).toMatch(/^run_chain at [0-9]+: it follows the end of its run$/);
});

it('an entry of a run that nobody knows begins it', async () => {
  expect(await ledger.forged(entryOf('run-d'))).toBe('unproven');
});
