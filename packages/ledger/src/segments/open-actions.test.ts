import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { beginCall, endCall, fillRun, Scratch } from '../../testing/scratch.js';
import { openLedgerReader, type Ledger } from '../index.js';
import { closedSegments } from './closed.js';

let scratch: Scratch;
beforeEach(() => {
  scratch = new Scratch();
  scratch.create();
});
afterEach(() => scratch.remove());

const closed = (): readonly string[] =>
  closedSegments(join(scratch.folder, 'segments')).map(({ path }) => path);

/** Begins a call and gives its decision. */
async function begin(ledger: Ledger, call: string): Promise<number> {
  const begun = await ledger.append(beginCall('run-a', call));
  return begun.ok ? (begun.entries[1]?.seq ?? 0) : 0;
}

const dangling = (ledger: Ledger): number[] => ledger.danglingPendings().map(({ seq }) => seq);

it('are those without an end, in whichever file they began and ended', async () => {
  const ledger = await scratch.open({ segmentBytes: 1 });
  const first = await begin(ledger, 'call-1');
  const second = await begin(ledger, 'call-2');
  // A word on a call is not its end.
  const word = { type: 'hint_issued' as const, ts: 1, runId: 'run-a', ref: first, data: {} };
  expect(await ledger.append({ entries: [word] })).toMatchObject({ ok: true });
  await fillRun(ledger, 'run-b', 400);
  expect(closed()).toHaveLength(1);
  expect(dangling(ledger)).toEqual([first, second]);
  for (const seq of [first, second])
    expect(await ledger.append({ entries: [endCall('run-a', 'call', seq)] })).toMatchObject({ ok: true });
  expect(dangling(ledger)).toEqual([]);
  await fillRun(ledger, 'run-c', 400);
  await fillRun(ledger, 'run-d', 400);
  expect(closed().length).toBeGreaterThan(2);
  expect(dangling(ledger)).toEqual([]);
  await expect(ledger.append({ entries: [endCall('run-a', 'call', first)] })).rejects.toMatchObject({
    code: 'invalid_request',
  });
  await ledger.close();
  expect(await scratch.verify()).toMatchObject({ verdict: 'ok', open: 0 });
});

it('are counted where their file is not there, and closed once it is back', async () => {
  let ledger = await scratch.open({ segmentBytes: 1 });
  const seq = await begin(ledger, 'call-1');
  await fillRun(ledger, 'run-b', 400);
  await fillRun(ledger, 'run-c', 400);
  const [oldest = ''] = closed();
  const away = join(scratch.folder, 'away.db');
  await ledger.close();
  renameSync(oldest, away);
  ledger = await scratch.open();
  expect(dangling(ledger)).toEqual([]);
  const reader = openLedgerReader(scratch.path);
  expect(reader.openActions()).toEqual({ count: 1, elsewhere: 1 });
  reader.release();
  renameSync(away, oldest);
  expect(reader.openActions()).toEqual({ count: 1, elsewhere: 0 });
  reader.release();
  expect(dangling(ledger)).toEqual([seq]);
  await ledger.append({ entries: [endCall('run-a', 'call-1', seq)] });
  expect(reader.openActions()).toEqual({ count: 0, elsewhere: 0 });
  reader.close();
  await ledger.close();
});
