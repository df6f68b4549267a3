import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateKeyPairSync } from 'node:crypto';
import {
  AuditTrail,
  createLedger,
  openLedger,
  openLedgerReader,
  verifyLedger,
  type AppendGroup,
  type CodeName,
  type Ledger,
  type LedgerReader,
  type Page,
  type LedgerRow,
} from '@subluminal/ledger';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const RUNS = ['run-a', 'run-b', 'run-c', 'run-d'] as const;
const TOOLS = ['read_file', 'write_file', 'delete_file'] as const;
const DECISIONS = ['ALLOW', 'ALLOW', 'ALLOW', 'BLOCK', 'THROTTLE'] as const;
const CALLS = 4_000;

interface Call {
  readonly run: string;
  readonly tool: string;
  readonly id: string;
  readonly decision: CodeName;
}

const CALLS_MADE: readonly Call[] = Array.from({ length: CALLS }, (_, n) => ({
  run: RUNS[n % RUNS.length] ?? '',
  tool: TOOLS[n % TOOLS.length] ?? '',
  id: `call-${String(n).padStart(6, '0')}`,
  decision: DECISIONS[n % DECISIONS.length] ?? 'BLOCK',
}));

const folder = mkdtempSync(join(tmpdir(), 'sub-ledger-'));
const path = join(folder, 'ledger.db');
const headsLog = join(folder, 'heads.log');
const sealKeyPath = join(folder, 'seal');
const { privateKey } = generateKeyPairSync('ed25519');
let reader: LedgerReader;
let whileWriting = 0;

beforeAll(async () => {
  const ledger = await open();
  const watcher = openLedgerReader(path);
  // One writer for each run, all at once, each with many calls in flight; a reader goes on beside them.
  await Promise.all(
    RUNS.map(async (run) => {
      const own = CALLS_MADE.filter((call) => call.run === run);
      for (let at = 0; at < own.length; at += 64) {
        await Promise.all(own.slice(at, at + 64).map((call) => append(ledger, call)));
        whileWriting = Math.max(whileWriting, watcher.byRun(run, { limit: 1000 }).rows.length);
      }
    }),
  );
  watcher.close();
  await ledger.close();
  reader = openLedgerReader(path);
}, 180_000);

afterAll(() => {
  reader.close();
  rmSync(folder, { recursive: true, force: true });
});

function open(): Promise<Ledger> {
  createLedger({
    path,
    ledgerId: 'queries',
    createdMs: 1_767_323_045_678,
    version: '0.1.0',
    signingKey: privateKey,
    sealKeyPath,
  });
  const clock = () => Date.now();
  return openLedger({ path, headsLog, clock, durability: 'fsync', signingKey: { privateKey }, sealKeyPath });
}

async function append(ledger: Ledger, call: Call): Promise<void> {
  const group = begin(call);
  const begun = await ledger.append(group);
  if (!begun.ok) throw new Error(`refused: ${begun.conflict}`);
  if (call.decision !== 'ALLOW') return;
  const ref = begun.entries[1]?.seq ?? 0;
  await ledger.append({
    entries: [
      {
        type: 'tool_call_end',
        ts: 3,
        runId: call.run,
        tool: ['files', call.tool],
        code: 'OK',
        ref,
        data: { call: { call_id: call.id } },
      },
    ],
  });
}

function begin(call: Call): AppendGroup {
  const common = { ts: 1, runId: call.run, tool: ['files', call.tool] } as const;
  const data = { call: { call_id: call.id } };
  return {
    entries: [
      { ...common, type: 'tool_call_start', data },
      { ...common, type: 'tool_call_decision', code: call.decision, data },
    ],
    seen: { runId: call.run, id: call.id },
  };
}

/** Every row of a paged query. */
function everyRow(page: (cursor: number | null) => Page<LedgerRow>): LedgerRow[] {
  const rows: LedgerRow[] = [];
  let cursor: number | null = null;
  do {
    const next: Page<LedgerRow> = page(cursor);
    rows.push(...next.rows);
    cursor = next.next;
  } while (cursor !== null);
  return rows;
}

const entriesOf = (calls: readonly Call[]) =>
  calls.reduce((sum, call) => sum + (call.decision === 'ALLOW' ? 3 : 2), 0);
const TOTAL = entriesOf(CALLS_MADE);

describe('more than ten thousand entries by four writers at once', () => {
  it('are each held once, in one chain, uncorrupted', async () => {
    expect(TOTAL).toBe(10_400);
    const rows = everyRow((cursor) => reader.all({ cursor, order: 'asc', limit: 1000 }));
    const report = await verifyLedger(path, { headsLog });
    const all = TOTAL + report.seals;
    expect(rows.map((row) => row.seq)).toEqual(Array.from({ length: all }, (_, n) => n + 1));
    expect(rows.filter((row) => row.type !== 'seal')).toHaveLength(TOTAL);
    expect(report).toMatchObject({ verdict: 'ok', exit: 0, entries: all, runs: RUNS.length });
  });

  it('could be read while they were written', () => {
    expect(whileWriting).toBeGreaterThan(0);
  });

  it('stand in a database in write-ahead mode', () => {
    const db = new Database(path, { readonly: true });
    expect(db.pragma('journal_mode', { simple: true })).toBe('wal');
    expect(db.pragma('integrity_check', { simple: true })).toBe('ok');
    db.close();
  });

  it.each(RUNS)('are queried by run id: %s', (run) => {
    const rows = everyRow((cursor) => reader.byRun(run, { cursor, limit: 500 }));
    expect(rows.length).toBe(entriesOf(CALLS_MADE.filter((call) => call.run === run)));
    expect(new Set(rows.map((row) => row.runId))).toEqual(new Set([run]));
    expect(rows.map((row) => row.runIndex).toSorted((a, b) => a - b)).toEqual(rows.map((_, n) => n));
  });

  it.each(TOOLS)('are queried by tool: %s', (tool) => {
    const rows = everyRow((cursor) => reader.byTool('files', tool, { cursor, limit: 500 }));
    expect(rows.length).toBe(entriesOf(CALLS_MADE.filter((call) => call.tool === tool)));
    expect(reader.byTool('other', tool).rows).toEqual([]);
  });

  it.each(['ALLOW', 'BLOCK', 'THROTTLE', 'TERMINATE_RUN'] as const)(
    'are queried by decision: %s',
    (decision) => {
      const rows = everyRow((cursor) => reader.byDecision(decision, { cursor, limit: 500 }));
      const expected = CALLS_MADE.filter((call) => call.decision === decision).map((call) => call.id);
      expect(rows.map((row) => (row.data['call'] as { call_id: string }).call_id).toSorted()).toEqual(
        expected,
      );
    },
  );

  it('are queried by request id', () => {
    expect(reader.byRequest('call-000003').map((row) => row.type)).toContain('tool_call_decision');
    expect(reader.byRequest('call-999999')).toEqual([]);
  });
});

it('the audit trail offers queries and the check, and no way to write, change or remove', () => {
  const offered = Object.getOwnPropertyNames(AuditTrail.prototype).toSorted();
  expect(offered).toEqual([
    'constructor',
    'entries',
    'getByAction',
    'getByRequestId',
    'getByTimeRange',
    'getRecent',
    'verifyChainIntegrity',
  ]);
});
