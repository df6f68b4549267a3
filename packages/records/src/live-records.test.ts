import type { EntryType, LedgerReader, LedgerRow } from '@subluminal/ledger';
import { expect, it } from 'vitest';
import { LiveRecords } from './live-records.js';

const row = (seq: number, type: EntryType, ref: number | null): LedgerRow => ({
  seq,
  leaf: '',
  ts: 0,
  type,
  runId: 'R',
  code: null,
  tool: ['shell', 'run'],
  ref,
  runIndex: seq,
  requestId: null,
  data: {},
  blobs: {},
});

function world() {
  const rows: LedgerRow[] = [];
  const reader = {
    entry: (seq: number) => rows.find((one) => one.seq === seq),
    holds: () => true,
    referring: (seq: number) => rows.find((one) => one.ref === seq),
  } as unknown as LedgerReader;
  const clock = { now: 0 };
  return { rows, clock, records: new LiveRecords(reader, () => clock.now) };
}

const [START, DECISION, END] = [
  row(1, 'tool_call_start', null),
  row(2, 'tool_call_decision', 1),
  row(3, 'tool_call_end', 2),
];

it('a call that takes long is told of while it is open, and when it ends', () => {
  const { rows, clock, records } = world();
  rows.push(START, DECISION);
  records.push(START);
  records.push(DECISION);
  expect(records.slow()).toEqual([]);
  clock.now = 2000;
  expect(records.slow()).toMatchObject([{ last: null }]);
  expect(records.slow()).toEqual([]);
  rows.push(END);
  expect(records.push(END)).toMatchObject([{ last: { seq: 3 } }]);
});

it('a call that has ended, and whose end is still to come, is told of once', () => {
  const { rows, clock, records } = world();
  rows.push(START, DECISION, END);
  records.push(START);
  records.push(DECISION);
  clock.now = 2000;
  expect(records.slow()).toEqual([]);
  expect(records.push(END)).toMatchObject([{ last: { seq: 3 } }]);
  expect(records.slow()).toEqual([]);
});
