import { ExactNumber, isJsonObject, parseJson, type JsonValue } from '@subluminal/core-types';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { beginCall, endCall, fillRun, runEnd, runStart, Scratch } from '../../testing/scratch.js';
import { openLedgerReader, type CallStep, type Ledger, type LedgerReader } from '../index.js';

let scratch: Scratch;
beforeEach(() => {
  scratch = new Scratch();
  scratch.create();
});
afterEach(() => scratch.remove());

async function inNextFile(work: (ledger: Ledger) => Promise<unknown>): Promise<void> {
  const ledger = await scratch.open({ segmentBytes: 1 });
  await work(ledger);
  await ledger.close();
}

function read<T>(ask: (reader: LedgerReader) => T): T {
  const reader = openLedgerReader(scratch.path);
  try {
    return ask(reader);
  } finally {
    reader.close();
  }
}

/** With what is looked up only while the reader is open. */
const shown = (step: CallStep): CallStep => {
  const { seq, ts, type, code, runId, tool, ref, data, start } = step;
  return { seq, ts, type, code, runId, tool, ref, data, start };
};
const typesOf = (steps: Iterable<CallStep>): string[] => Array.from(steps, ({ type }) => type);

const LIFE = ['run_start', 'tool_call_decision', 'tool_call_end', 'run_end'];

it('calls come in their order, with what is kept of their arguments, over all files of a ledger', async () => {
  await inNextFile((ledger) => fillRun(ledger, 'run-a', 1));
  await inNextFile(async (ledger) => {
    await ledger.append({ entries: [runEnd('run-a')] });
    await ledger.append({ entries: [{ type: 'gateway_stop', ts: 1, runId: null, data: {} }] });
  });
  await inNextFile((ledger) => fillRun(ledger, 'run-b', 2));
  const steps = read((reader) => Array.from(reader.callSteps(), shown));
  expect(typesOf(steps)).toEqual([...LIFE, ...LIFE.slice(0, 3), ...LIFE.slice(1, 3)]);
  expect(steps.map(({ seq }) => seq)).toEqual(steps.map(({ seq }) => seq).toSorted((a, b) => a - b));
  expect(steps[1]).toMatchObject({
    runId: 'run-a',
    tool: ['files', 'read'],
    data: { call: { call_id: 'call-run-a-1' } },
    start: { preview: '{"path":"/tmp/call-run-a-1"}', data: { req: { id: 'call-run-a-1' } } },
  });
  expect(steps[2]).toMatchObject({
    ref: steps[1]?.seq,
    code: 'OK',
    start: undefined,
    data: { latency_ms: 3 },
  });
  expect(typesOf(read((reader) => [...reader.callSteps({ runId: 'run-a' })]))).toEqual(LIFE);
  expect(read((reader) => [...reader.callSteps({ runId: 'nobody' })])).toEqual([]);
  const behind = read((reader) => [...reader.callSteps({ after: steps[3]?.seq })]);
  expect(behind.every(({ runId }) => runId === 'run-b')).toBe(true);
});

it('no entry is left out where a page of them ends', async () => {
  await inNextFile(async (ledger) => {
    await ledger.append({ entries: [runStart('run-a')] });
    const calls = Array.from({ length: 700 }, (_, at) => ledger.append(beginCall('run-a', `c${at}`)));
    await Promise.all(calls);
  });
  const seqs = read((reader) => Array.from(reader.callSteps(), ({ seq }) => seq));
  expect(seqs).toHaveLength(701);
  expect(new Set(seqs).size).toBe(701);
});

it('a number that is no double is read with all its digits', async () => {
  const data = parseJson('{"call":{"call_id":"c"},"facts":{"args":{"n":1.0000000000000000001,"m":1e400}}}');
  if (!isJsonObject(data)) throw new Error('no object');
  await inNextFile(async (ledger) => {
    await ledger.append({ entries: [runStart('run-a')] });
    const { entries, seen } = beginCall('run-a', 'c');
    const [start, decision] = entries;
    if (start === undefined || decision === undefined) throw new Error('no call');
    await ledger.append({ entries: [start, { ...decision, data }], seen });
  });
  const [, step] = read((reader) => [...reader.callSteps()]);
  const at = (value: JsonValue | undefined, key: string): JsonValue | undefined =>
    value !== undefined && isJsonObject(value) ? value[key] : undefined;
  const args = at(at(step?.data, 'facts'), 'args');
  expect(at(args, 'n')).toEqual(new ExactNumber('1.0000000000000000001'));
  expect(at(args, 'm')).toEqual(new ExactNumber('1e+400'));
});

it('runs that decided calls since a time are found with where they began', async () => {
  const late = 1_760_000_500_000;
  await inNextFile(async (ledger) => {
    await fillRun(ledger, 'run-a', 1);
    await fillRun(ledger, 'run-b', 1);
  });
  await inNextFile(async (ledger) => {
    const { entries, seen } = beginCall('run-b', 'later');
    await ledger.append({ entries: entries.map((entry) => ({ ...entry, ts: late })), seen });
    await ledger.append({ entries: [endCall('run-b', 'later', ledger.head().seq)] });
  });
  const start = read((reader) => reader.runs().rows.find(({ runId }) => runId === 'run-b'))?.start.seq;
  expect(read((reader) => reader.runsWithCallsSince(late))).toEqual(new Map([['run-b', start]]));
  expect(read((reader) => reader.runsWithCallsSince(late + 1))).toEqual(new Map());
  expect(read((reader) => reader.runsWithCallsSince(0)).size).toBe(2);
});
