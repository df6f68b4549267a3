import type { JsonObject } from '@subluminal/core-types';
import fc from 'fast-check';
import { rmSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Chance } from '../../testing/honest/chance.js';
import { beginCall, endCall, runEnd, runStart, Scratch } from '../../testing/scratch.js';
import {
  openLedgerReader,
  type EntryInput,
  type Ledger,
  type LedgerReader,
  type LedgerRow,
} from '../index.js';
import { closedSegments, segmentsFolder } from '../segments/closed.js';
import { LedgerFiles } from './files.js';
import { issuedHint, limitTrail } from './limit-trail.js';
import { OneFile } from './one-file.js';

const isLong = process.env['SUB_LONG'] !== undefined;

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

function everything(reader: LedgerReader): LedgerRow[] {
  const rows: LedgerRow[] = [];
  for (let page = reader.tailFrom(1, 1000).rows; page.length > 0;) {
    rows.push(...page);
    page = reader.tailFrom((rows.at(-1)?.seq ?? 0) + 1, 1000).rows;
  }
  return rows;
}

/** What the trail has to be, row by row. */
function expected(rows: readonly LedgerRow[], runId: string, after: number, upTo: number): unknown {
  const there = rows.filter((row) => row.runId === runId && row.seq > after && row.seq <= upTo);
  const withFacts = there.filter(({ data }) => data['facts'] !== undefined);
  const first = withFacts[0]?.seq ?? Number.POSITIVE_INFINITY;
  return there.filter((row) => {
    if (row.type === 'tool_call_end') return withFacts.includes(row) || after > 0 || row.seq > first;
    return row.type === 'policy_loaded' || row.type === 'hint_promoted' || withFacts.includes(row);
  });
}

const asked = (
  from: Pick<LedgerReader, 'limitTrail'>,
  runId: string,
  after = 0,
  upTo?: number,
): LedgerRow[] =>
  [...from.limitTrail({ runId, after, ...(upTo === undefined ? {} : { upTo }) })].map((entry) => {
    const row = entry.row();
    expect([entry.seq, entry.type, entry.code, entry.ref]).toEqual([row.seq, row.type, row.code, row.ref]);
    expect([entry.ts, entry.callId]).toEqual([row.ts, ofCall.includes(row.type) ? callIdOf(row) : '']);
    expect(JSON.parse(entry.facts ?? 'null')).toEqual(row.data['facts'] ?? null);
    return row;
  });

const ofCall = ['tool_call_decision', 'tool_call_end'];
const callIdOf = ({ data }: LedgerRow): unknown => (data['call'] as JsonObject)['call_id'];

/** A call with facts in its decision, or without. */
async function call(ledger: Ledger, runId: string, id: string, facts?: object): Promise<number> {
  const group = beginCall(runId, id);
  const entries = group.entries.map((entry) =>
    facts === undefined || entry.type !== 'tool_call_decision'
      ? entry
      : { ...entry, data: { ...entry.data, facts: { ...facts } } },
  );
  const result = await ledger.append({ ...group, entries });
  return result.ok ? (result.entries[1]?.seq ?? 0) : 0;
}

const promoted = (runId: string): EntryInput => ({
  type: 'hint_promoted',
  ts: 1,
  runId,
  data: { rule_id: 'r' },
});
const hint = (runId: string, callId: string, text: string): EntryInput => ({
  type: 'hint_issued',
  ts: 1,
  runId,
  data: { call: { call_id: callId }, hint: { hint_text: text } },
});

/** Some entries of two runs, as the chance has it. */
async function act(
  ledger: Ledger,
  chance: Chance,
  open: [string, string, number][],
  at: number,
): Promise<void> {
  const runId = chance.below(2) === 0 ? 'run-a' : 'run-b';
  const what = chance.below(6);
  if (what === 5) {
    const data = chance.below(2) === 0 ? { charged: 0 } : { charged: 1, facts: { charge: [at] } };
    const spool: EntryInput = { type: 'spool_ingested', ts: 1, runId, code: 'error', data };
    return void (await ledger.append({ entries: [spool] }));
  }
  if (what === 0) return void (await ledger.append({ entries: [promoted(runId)] }));
  if (what === 1) {
    const loaded: EntryInput = { type: 'policy_loaded', ts: 1, runId, data: { facts: {} } };
    return void (await ledger.append({ entries: [loaded] }));
  }
  const [oldest] = open;
  if (what === 2 && oldest !== undefined) {
    open.shift();
    return void (await ledger.append({ entries: [endCall(...oldest)] }));
  }
  const id = `call-${String(at).padStart(8, '0')}`;
  const facts = chance.below(2) === 0 ? { charge: [at] } : undefined;
  open.push([runId, id, await call(ledger, runId, id, facts)]);
}

describe('the trail of a run’s limits', () => {
  it('is what a look at all rows gives, behind any entry, in one file and in many', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.nat(1_000_000),
        fc.array(fc.tuple(fc.nat(12), fc.boolean()), { minLength: 1, maxLength: 4 }),
        async (seed, lives) => {
          scratch.remove();
          scratch = new Scratch();
          scratch.create();
          const chance = new Chance(seed);
          const open: [string, string, number][] = [];
          let at = 0;
          for (const [acts, goesOn] of lives) {
            const ledger = await scratch.open(goesOn ? {} : { segmentBytes: 1 });
            if (at === 0) await ledger.append({ entries: [runStart('run-a'), runStart('run-b')] });
            for (let n = 0; n < acts; n += 1) await act(ledger, chance, open, (at += 1));
            at += 1;
            await ledger.close();
          }
          const reader = openLedgerReader(scratch.path);
          try {
            const rows = everything(reader);
            for (const runId of ['run-a', 'run-b', 'nobody']) {
              for (let after = 0; after <= rows.length; after += 1 + chance.below(5)) {
                const upTo = after + chance.below(rows.length + 2);
                expect(asked(reader, runId, after)).toEqual(expected(rows, runId, after, rows.length));
                expect(asked(reader, runId, after, upTo)).toEqual(expected(rows, runId, after, upTo));
              }
            }
          } finally {
            reader.close();
          }
        },
      ),
      { numRuns: isLong ? 200 : 8 },
    );
  });

  it('looks into no file from before the run', async () => {
    for (let n = 0; n < 4; n += 1) {
      await inNextFile(async (ledger) => {
        await ledger.append({ entries: [runStart(`run-${n}`)] });
        await call(ledger, `run-${n}`, 'call-00000001', { charge: [n] });
        await ledger.append({ entries: [runEnd(`run-${n}`)] }).catch(() => undefined);
      });
    }
    let opened = 0;
    const files = new LedgerFiles(scratch.path, (file) => {
      opened += 1;
      return new OneFile(file);
    });
    expect([...limitTrail(files, { runId: 'run-3', after: 0 })]).toHaveLength(1);
    expect(opened).toBe(1);
    files.close();
  });

  it('tells of a file that is not there instead of leaving it out', async () => {
    await inNextFile((ledger) => ledger.append({ entries: [runStart('run-a')] }));
    for (let n = 1; n < 4; n += 1)
      await inNextFile((ledger) => call(ledger, 'run-a', `call-0000000${n}`, { charge: [n] }));
    const closed = closedSegments(segmentsFolder(scratch.path));
    const gone = closed.find(({ number }) => number === 2);
    if (gone === undefined) throw new Error('there is no second file');
    rmSync(gone.path);
    const reader = openLedgerReader(scratch.path);
    expect(() => asked(reader, 'run-a')).toThrow(expect.objectContaining({ code: 'not_found' }));
    expect(() => asked(reader, 'run-a', gone.first)).toThrow(expect.objectContaining({ code: 'not_found' }));
    expect(asked(reader, 'run-a', gone.last).length).toBeGreaterThan(0);
    reader.close();
  });
});

describe('the hint of a call', () => {
  it('is the newest of that call in that run, in whichever file', async () => {
    await inNextFile((ledger) =>
      ledger.append({
        entries: [
          runStart('run-a'),
          runStart('run-b'),
          hint('run-a', 'call-00000001', 'one'),
          hint('run-b', 'call-00000001', 'of another run'),
        ],
      }),
    );
    await inNextFile((ledger) => ledger.append({ entries: [hint('run-a', 'call-00000002', 'two')] }));
    await inNextFile((ledger) => call(ledger, 'run-a', 'call-00000003'));
    const reader = openLedgerReader(scratch.path);
    const text = (runId: string, callId: string): unknown => reader.issuedHint(runId, callId)?.data['hint'];
    expect(text('run-a', 'call-00000001')).toEqual({ hint_text: 'one' });
    expect(text('run-b', 'call-00000001')).toEqual({ hint_text: 'of another run' });
    expect(text('run-a', 'call-00000002')).toEqual({ hint_text: 'two' });
    expect(text('run-a', 'call-00000003')).toBeUndefined();
    expect(text('run-b', 'call-00000002')).toBeUndefined();
    reader.close();
  });

  it('is not looked for in files from before its run', async () => {
    await inNextFile((ledger) => ledger.append({ entries: [runStart('run-a')] }));
    await inNextFile((ledger) => ledger.append({ entries: [runStart('run-b')] }));
    let opened = 0;
    const files = new LedgerFiles(scratch.path, (file) => {
      opened += 1;
      return new OneFile(file);
    });
    expect(issuedHint(files, 'run-b', 'call-00000001')).toBeUndefined();
    expect(opened).toBe(1);
    files.close();
  });
});
