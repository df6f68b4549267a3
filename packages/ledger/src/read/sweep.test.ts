import { isJsonObject } from '@subluminal/core-types';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Actors } from '../../testing/honest/actors.js';
import { Chance } from '../../testing/honest/chance.js';
import { beginCall, endCall, fillRun, runEnd, runStart, Scratch } from '../../testing/scratch.js';
import { CODES, KINDS } from '../entry/kinds.js';
import {
  openLedgerReader,
  type EntryInput,
  type Ledger,
  type LedgerReader,
  type LedgerRow,
} from '../index.js';
import { closedSegments, segmentsFolder } from '../segments/closed.js';
import { LedgerFiles } from './files.js';
import { OneFile } from './one-file.js';
import { sweep, type SweepMemory, type SweepQuestion, type Swept } from './sweep.js';

const isLong = process.env['SUB_LONG'] !== undefined;

const ACTION = 'service.api_call';
const T0 = 1_760_000_000_000;

let scratch: Scratch;
beforeEach(() => {
  scratch = new Scratch();
  scratch.create();
});
afterEach(() => scratch.remove());

/** One life of the ledger, in a file of its own. */
async function inNextFile(work: (ledger: Ledger) => Promise<unknown>): Promise<void> {
  const ledger = await scratch.open({ segmentBytes: 1 });
  await work(ledger);
  await ledger.close();
}

/** The answer, and which files were opened for it. */
function ask(question: Partial<SweepQuestion>): Swept & { readonly opened: number } {
  let opened = 0;
  const files = new LedgerFiles(scratch.path, (file) => {
    opened += 1;
    return new OneFile(file);
  });
  try {
    const swept = sweep(files, { runIds: [], since: 0, actions: [], types: [], ...question });
    return { ...swept, opened };
  } finally {
    files.close();
  }
}

const asStored = (memory: SweepMemory): SweepMemory => JSON.parse(JSON.stringify(memory));

const pending = (ts: number): EntryInput => ({
  type: 'action_pending',
  ts,
  runId: null,
  tool: ACTION,
  code: 'pending',
  data: { service: 'tracker' },
});
const act = (ledger: Ledger, ts: number): Promise<unknown> => ledger.append({ entries: [pending(ts)] });
const times = ({ actions }: Swept): number[] => (actions.get(ACTION) ?? []).map(({ ts }) => ts);

function everything(reader: LedgerReader): LedgerRow[] {
  const rows: LedgerRow[] = [];
  for (let page = reader.tailFrom(1, 1000).rows; page.length > 0;) {
    rows.push(...page);
    page = reader.tailFrom((rows.at(-1)?.seq ?? 0) + 1, 1000).rows;
  }
  return rows;
}

/** What a run comes to, row by row. */
function counted(rows: readonly LedgerRow[], runId: string): unknown {
  const own = rows.filter((row) => row.runId === runId);
  const counts = new Map<string, number>();
  const series = new Map<string, { id: string; seq: number }>();
  for (const { type, code, data, seq } of own) {
    const number = code === null ? 0 : (CODES.find(([, name]) => name === code)?.[0] ?? 0);
    const key = JSON.stringify([KINDS[type], number]);
    counts.set(key, (counts.get(key) ?? 0) + 1);
    const { call } = data;
    const id = call !== undefined && isJsonObject(call) ? call['call_id'] : undefined;
    if (type !== 'tool_call_start' || typeof id !== 'string') continue;
    const known = series.get(id.slice(0, -8));
    series.set(id.slice(0, -8), {
      id: known !== undefined && known.id > id ? known.id : id,
      seq: known?.seq ?? seq,
    });
  }
  return {
    runId,
    first: own[0]?.seq,
    counts: new Set([...counts].map(([key, count]) => [...JSON.parse(key), count].join(' '))),
    series: [...series.values()],
  };
}

describe('a sweep', () => {
  it('counts what a count of all rows does, with a memory of any earlier moment or none', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.nat(1_000_000),
        fc.array(fc.tuple(fc.nat(6), fc.boolean()), { minLength: 2, maxLength: 4 }),
        async (seed, lives) => {
          scratch.remove();
          scratch = new Scratch();
          scratch.create();
          const actors = new Actors(new Chance(seed), () => scratch.nowMs);
          const question = { actions: [ACTION], types: ['run_start'] as const, since: 0 };
          const memories: (SweepMemory | undefined)[] = [undefined];
          for (const [acts, goesOn] of lives) {
            const ledger = await scratch.open(goesOn ? {} : { segmentBytes: 1 });
            for (let at = 0; at < acts; at += 1) await actors.act(ledger);
            await ledger.close();
            const reader = openLedgerReader(scratch.path);
            const rows = everything(reader);
            reader.close();
            const runIds = [...new Set(rows.flatMap(({ runId }) => runId ?? []))];
            const ended = new Set(rows.flatMap(({ runId, type }) => (type === 'run_end' ? [runId] : [])));
            const expected = runIds.filter((id) => !ended.has(id)).map((id) => counted(rows, id));
            for (const memory of memories.slice()) {
              const swept = ask({ ...question, runIds, memory });
              const found = swept.runs.map((tally) => ({
                ...tally,
                counts: new Set(tally.counts.map((count) => count.join(' '))),
              }));
              expect(found).toEqual(expected);
              expect((swept.types.get('run_start') ?? []).toReversed()).toEqual(
                rows.filter(({ type }) => type === 'run_start'),
              );
              memories.push(asStored(swept.memory));
              const middle = Math.ceil(((memory?.upTo ?? 0) + swept.memory.upTo) / 2);
              memories.push(asStored(ask({ ...question, runIds, memory, upTo: middle }).memory));
            }
          }
        },
      ),
      { numRuns: isLong ? 80 : 4 },
    );
  }, 240_000);

  it('keeps the greatest id of each series of calls, whichever file it stands in', async () => {
    const begin = (ledger: Ledger, id: string) => ledger.append(beginCall('run-a', id));
    await inNextFile(async (ledger) => {
      await ledger.append({ entries: [runStart('run-a')] });
      await begin(ledger, 'shim-one-00000009');
      await begin(ledger, 'shim-two-00000001');
    });
    await inNextFile((ledger) => begin(ledger, 'shim-two-00000002'));
    await inNextFile((ledger) => begin(ledger, 'new'));
    expect(ask({ runIds: ['run-a'] }).runs[0]?.series.map(({ id }) => id)).toEqual([
      'shim-one-00000009',
      'shim-two-00000002',
      'new',
    ]);
  });

  it('leaves out a run that has ended in whichever file, also where its memory knows it alive', async () => {
    await inNextFile((ledger) => fillRun(ledger, 'run-a', 2));
    const { memory } = ask({ runIds: ['run-a'] });
    expect(memory.runs).toHaveLength(1);
    await inNextFile((ledger) => ledger.append({ entries: [runEnd('run-a')] }));
    expect(ask({ runIds: ['run-a'], memory }).runs).toEqual([]);
    await inNextFile((ledger) => fillRun(ledger, 'run-b', 1));
    expect(ask({ runIds: ['run-a', 'nobody'], memory }).runs).toEqual([]);
    expect(ask({ runIds: ['run-a', 'nobody'] }).runs).toEqual([]);
  });

  it('finds what is recent behind any number of files that are older, where the clock went back', async () => {
    await inNextFile((ledger) => act(ledger, T0 + 9000));
    await inNextFile((ledger) => act(ledger, T0 + 10));
    await inNextFile((ledger) => act(ledger, T0 + 20));
    await inNextFile(async (ledger) => {
      await act(ledger, T0 + 8000);
      await act(ledger, T0 + 30);
      await act(ledger, T0 + 5000);
    });
    const question = { actions: [ACTION], since: T0 + 5000 };
    const first = ask(question);
    expect(times(first)).toEqual([T0 + 5000, T0 + 8000, T0 + 9000]);
    expect(times(ask({ ...question, memory: asStored(first.memory) }))).toEqual(times(first));
    expect(times(ask({ ...question, since: T0 + 8001, memory: first.memory }))).toEqual([T0 + 9000]);
  });

  it('opens each file once, and with a memory none that holds nothing new', async () => {
    await inNextFile((ledger) => ledger.append({ entries: [runStart('run-a')] }));
    for (let file = 0; file < 7; file += 1) {
      await inNextFile(async (ledger) => {
        const result = await ledger.append(beginCall('run-a', `shim-${String(file).padStart(8, '0')}`));
        const decision = result.ok ? (result.entries[1]?.seq ?? 0) : 0;
        await ledger.append({ entries: [endCall('run-a', 'shim', decision)] });
      });
    }
    const question = { runIds: ['run-a'], actions: [ACTION], types: ['run_start'] as const, since: T0 * 2 };
    const first = ask(question);
    expect(first.opened).toBe(closedSegments(segmentsFolder(scratch.path)).length + 1);
    const again = ask({ ...question, memory: asStored(first.memory) });
    expect(again.opened).toBe(1);
    expect(again.runs).toEqual(first.runs);
    await inNextFile((ledger) => act(ledger, T0 + 1));
    await inNextFile((ledger) => act(ledger, T0 + 2));
    expect(ask({ ...question, memory: first.memory }).opened).toBe(3);
  });

  it('counts anew where its memory is of another history, or does not fit into this one', async () => {
    await inNextFile((ledger) => fillRun(ledger, 'run-a', 2));
    await inNextFile((ledger) => act(ledger, T0));
    const question = { runIds: ['run-a'], actions: [ACTION], since: 0 };
    const { memory, runs } = ask(question);
    const wrong = { ...memory, runs: memory.runs.map((run) => ({ ...run, counts: [] })) };
    expect(ask({ ...question, memory: wrong }).runs).not.toEqual(runs);
    expect(ask({ ...question, memory: { ...wrong, leaf: 'f'.repeat(64) } }).runs).toEqual(runs);
    expect(ask({ ...question, memory: { ...wrong, upTo: memory.upTo + 1 } }).runs).toEqual(runs);
    const files = memory.files.map(([last]) => [last, 0] as const);
    const other = { ...memory, files, asked: ['run_start'] };
    expect(times(ask({ ...question, memory: other }))).toEqual([T0]);
  });
});
