import SqliteDatabase from 'better-sqlite3';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isSublError } from '@subluminal/core-types';
import type { AppendGroup, Ledger } from '../index.js';
import { action, beginCall, endCall, runEnd, runStart, Scratch } from '../../testing/scratch.js';

const isLong = process.env['SUB_LONG'] !== undefined;

/** Committed before the batches: two runs with an open call each, whose decisions are entries 3 and 6. */
const BEFORE: readonly AppendGroup[] = ['run-a', 'run-b'].flatMap((name) => [
  { entries: [runStart(name)] },
  beginCall(name, 'call-0'),
]);

const run = fc.constantFrom('run-a', 'run-b', 'run-c');
const id = fc.constantFrom('call-1', 'call-2', 'call-3');
/** More entries than wait at once: references point behind, among and in front of the waiting ones. */
const seq = fc.oneof(fc.constantFrom(3, 6), fc.integer({ min: 1, max: 60 }));
const group: fc.Arbitrary<AppendGroup> = fc.oneof(
  run.map((name) => ({ entries: [runStart(name)] })),
  { weight: 4, arbitrary: fc.tuple(run, id).map(([name, call]) => beginCall(name, call)) },
  {
    weight: 4,
    arbitrary: fc.tuple(run, seq).map(([name, ref]) => ({ entries: [endCall(name, 'call', ref)] })),
  },
  fc.tuple(run, seq, id).map(([name, ref, call]) => ({
    entries: [endCall(name, call, ref), ...beginCall(name, call).entries],
    seen: { runId: name, id: call },
  })),
  fc.tuple(fc.constantFrom(null, 'run-a'), id).map(([name, request]) => ({
    entries: [action('action_pending', name, 'pending')],
    seen: { runId: name, id: request },
  })),
  fc.tuple(fc.constantFrom(null, 'run-a'), seq).map(([name, ref]) => ({
    entries: [{ ...action('action_result', name, 'success'), ref }],
  })),
  run.map((name) => ({ entries: [runEnd(name), runStart(name)] })),
  run.map((name) => ({ entries: [runEnd(name)] })),
);

/** What became of a group, without what depends on its salts. */
async function outcomeOf(ledger: Ledger, asked: AppendGroup): Promise<unknown> {
  try {
    const result = await ledger.append(asked);
    return result.ok ? result.entries.map((entry) => entry.seq) : result;
  } catch (error) {
    if (!isSublError(error)) throw error;
    return error.code;
  }
}

/**
 * Appends batches, each in one commit or group by group; gives what became of each and what the file then
 * holds.
 */
async function write(batches: readonly (readonly AppendGroup[])[], together: boolean): Promise<unknown> {
  const scratch = new Scratch();
  try {
    scratch.create();
    const ledger = await scratch.open();
    const outcomes: unknown[] = [];
    for (const batch of batches) {
      if (together) outcomes.push(...(await Promise.all(batch.map((one) => outcomeOf(ledger, one)))));
      else for (const one of batch) outcomes.push(await outcomeOf(ledger, one));
    }
    await ledger.close();
    expect((await scratch.verify()).finding).toBeNull();
    return { outcomes, rows: rowsOf(scratch.path) };
  } finally {
    scratch.remove();
  }
}

function rowsOf(path: string): unknown {
  const db = new SqliteDatabase(path, { readonly: true });
  try {
    const all = (sql: string): unknown => db.prepare(sql).raw().all();
    return [
      all('SELECT seq, run, ref, kind, code, tool FROM entry ORDER BY seq'),
      all('SELECT run, id, seq FROM seen ORDER BY seq'),
      all('SELECT seq, slot, CAST(data AS TEXT) FROM blob ORDER BY seq, slot'),
      all('SELECT id, kind, name FROM dict ORDER BY id'),
    ];
  } finally {
    db.close();
  }
}

it('a batch comes to what its groups come to one by one', async () => {
  const batches = fc.array(fc.array(group, { minLength: 1, maxLength: 25 }), { minLength: 1, maxLength: 3 });
  await fc.assert(
    fc.asyncProperty(batches, async (list) => {
      const whole = [BEFORE, ...list];
      expect(await write(whole, true)).toEqual(await write(whole, false));
    }),
    { numRuns: isLong ? 400 : 14 },
  );
}, 120_000);
