import { SublEvent } from '@subluminal/core-types';
import SqliteDatabase from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runStart, Scratch } from '../../testing/scratch.js';
import {
  AuditTrail,
  openLedgerReader,
  type EntryInput,
  type Ledger,
  type LedgerReader,
  type LedgerRow,
  type Page,
} from '../index.js';

const HASH = 'a'.repeat(64);
const POLICY = { policy_id: 'p', policy_version: '1', policy_hash: HASH };
const T0 = Date.UTC(2026, 0, 2, 3, 4, 5, 678);

let scratch: Scratch;
let reader: LedgerReader;
beforeAll(async () => {
  scratch = await new Scratch().fill(story);
  reader = openLedgerReader(scratch.path);
});
afterAll(() => {
  reader.close();
  scratch.remove();
});

/**
 * A run with an allowed and a blocked call, a service action that succeeded, one that was limited, and a
 * hint.
 */
async function story(ledger: Ledger): Promise<void> {
  const run = (
    type: EntryInput['type'],
    ts: number,
    data: EntryInput['data'],
    more: Partial<EntryInput> = {},
  ) => ({ type, ts: T0 + ts, runId: 'run-1', data, ...more }) satisfies EntryInput;
  const begin = (call: string, action: 'ALLOW' | 'BLOCK', tool: string, ts: number): EntryInput[] => [
    run(
      'tool_call_start',
      ts,
      {
        shim: 'shim-1',
        req: { id: `req-${call}`, sig: 'mac' },
        call: {
          call_id: call,
          transport: 'mcp_stdio',
          args_hash: HASH,
          bytes_in: 40,
          preview: { truncated: false },
          seq: 1,
        },
      },
      { tool: ['files', tool], blobs: { 'call.preview.args_preview': '{"path":"/tmp/ä"}' } },
    ),
    run(
      'tool_call_decision',
      ts,
      {
        shim: 'shim-1',
        call: { call_id: call, args_hash: HASH },
        decision: {
          action,
          rule_id: action === 'ALLOW' ? null : 'r1',
          severity: 'info',
          explain: { summary: 's', reason_code: 'NO_MATCH' },
        },
        policy: POLICY,
      },
      { tool: ['files', tool], code: action },
    ),
  ];
  const end = (call: string, code: 'OK' | 'ERROR', tool: string, ts: number, ref?: number): EntryInput =>
    run(
      'tool_call_end',
      ts,
      {
        shim: 'shim-1',
        call: { call_id: call, args_hash: HASH },
        status: code,
        latency_ms: 7,
        bytes_out: 9,
        preview: { truncated: true },
      },
      {
        tool: ['files', tool],
        code,
        blobs: code === 'OK' ? { 'preview.result_preview': 'content' } : {},
        ...(ref === undefined ? {} : { ref }),
      },
    );
  const act = (type: EntryInput['type'], code: EntryInput['code'], id: string, ref?: number): EntryInput =>
    run(
      type,
      30,
      { req: { id, sig: 'mac' }, payload_hash: HASH, status: code ?? null },
      {
        tool: 'service.api_call',
        code: code ?? null,
        ...(ref === undefined ? {} : { ref }),
      },
    );

  await ledger.append({
    entries: [
      {
        type: 'policy_loaded',
        ts: T0,
        runId: null,
        data: { policy: { ...POLICY, mode: 'guardrails' } },
        blobs: { 'policy.bundle': '{"policy_id":"p","rules":[{"rule_id":"r1"}]}' },
      },
    ],
  });
  await ledger.append({
    entries: [
      run('run_start', 1, {
        agent_id: 'agent',
        client: 'claude',
        env: 'dev',
        host_id: 'host-1',
        proc_id: 'gateway-1',
        principal: 'me',
        workload: { user: 'u' },
        attested: true,
        run: { started_at: new Date(T0 + 1).toISOString(), mode: 'guardrails' },
        policy: POLICY,
      }),
    ],
  });
  await ledger.append({
    entries: [
      run('upstream_begin', 2, {
        shim_id: 'shim-1',
        proc_id: 'proc-1',
        server_name: 'files',
        argv_hash: HASH,
      }),
    ],
  });
  await ledger.append({
    entries: begin('call-1', 'ALLOW', 'read', 10),
    seen: { runId: 'run-1', id: 'req-call-1' },
  });
  await ledger.append({ entries: [end('call-1', 'OK', 'read', 12, 5)] });
  await ledger.append({
    entries: [...begin('call-2', 'BLOCK', 'write', 20), end('call-2', 'ERROR', 'write', 20)],
    seen: { runId: 'run-1', id: 'req-call-2' },
  });
  await ledger.append({
    entries: [act('action_pending', 'pending', 'req-act-1')],
    seen: { runId: 'run-1', id: 'req-act-1' },
  });
  await ledger.append({ entries: [act('action_result', 'success', 'req-act-1', 10)] });
  await ledger.append({
    entries: [act('action_rejected', 'rate_limited', 'req-act-2')],
    seen: { runId: 'run-1', id: 'req-act-2' },
  });
  await ledger.append({
    entries: [
      run('hint_issued', 40, {
        shim: 'shim-1',
        call: { call_id: 'call-2' },
        hint: { hint_text: 'try less', suggested_args: { n: 1 }, retry_advice: null, hint_kind: 'ARG_FIX' },
      }),
      run(
        'run_end',
        50,
        {
          proc_id: 'gateway-2',
          run: {
            ended_at: new Date(T0 + 50).toISOString(),
            status: 'SUCCEEDED',
            summary: {
              calls_total: 2,
              calls_allowed: 1,
              calls_blocked: 1,
              calls_throttled: 0,
              errors_total: 0,
              duration_ms: 49,
            },
          },
        },
        { code: 'SUCCEEDED' },
      ),
    ],
  });
}

const seqs = (rows: readonly { readonly seq: number }[]) => rows.map(({ seq }) => seq);

describe('a reader', () => {
  it('finds by request the entry that claimed the id and the one that reports on it', () => {
    expect(seqs(reader.byRequest('req-call-1'))).toEqual([5, 6]);
    expect(seqs(reader.byRequest('req-act-1'))).toEqual([10, 11]);
    expect(seqs(reader.byRequest('req-act-2'))).toEqual([12]);
    expect(reader.byRequest('unknown')).toEqual([]);
  });

  it('finds by time range, both ends included', () => {
    expect(seqs(reader.byTimeRange(T0 + 2, T0 + 12, { order: 'asc' }).rows)).toEqual([3, 4, 5, 6]);
  });

  it('finds by run, action, tool, decision, status and type', () => {
    expect(reader.byRun('run-1').rows).toHaveLength(13);
    expect(seqs(reader.byRun(null).rows)).toEqual([15, 1]);
    expect(seqs(reader.byAction('service.api_call').rows)).toEqual([12, 11, 10]);
    expect(seqs(reader.byTool('files', 'write').rows)).toEqual([9, 8, 7]);
    expect(seqs(reader.byDecision('ALLOW').rows)).toEqual([5]);
    expect(seqs(reader.byDecision('BLOCK').rows)).toEqual([8]);
    expect(seqs(reader.byStatus('rate_limited').rows)).toEqual([12]);
    expect(seqs(reader.byStatus('ERROR').rows)).toEqual([9]);
    expect(seqs(reader.byStatus('CANCELLED').rows)).toEqual([]);
    expect(seqs(reader.byType('tool_call_start').rows)).toEqual([7, 4]);
    expect(seqs(reader.byType('run_end').rows)).toEqual([14]);
    expect(reader.byRun('nobody').rows).toEqual([]);
  });

  it('pages through everything once, in either direction', () => {
    for (const order of ['asc', 'desc'] as const) {
      const met: number[] = [];
      let cursor: number | null = null;
      do {
        const page: ReturnType<typeof reader.all> = reader.all({ limit: 4, cursor, order });
        expect(page.rows.length).toBeLessThanOrEqual(4);
        met.push(...seqs(page.rows));
        cursor = page.next;
      } while (cursor !== null);
      const all = Array.from({ length: 15 }, (_, i) => i + 1);
      expect(met).toEqual(order === 'asc' ? all : all.toReversed());
    }
  });

  it('puts a call together with its previews, and a run with its end', () => {
    expect(reader.call('call-1')).toMatchObject({
      start: { seq: 4 },
      decision: { seq: 5, code: 'ALLOW' },
      end: { seq: 6, code: 'OK' },
      previews: { 'call.preview.args_preview': '{"path":"/tmp/ä"}', 'preview.result_preview': 'content' },
    });
    expect(reader.call('call-9')).toBeUndefined();
    expect(reader.runs().rows).toMatchObject([{ runId: 'run-1', start: { seq: 2 }, end: { seq: 14 } }]);
  });

  it('hides the ledger’s own members of the data', () => {
    expect(reader.entry(5)).toMatchObject({ requestId: 'req-call-1', ref: 4, runIndex: 3 });
    expect(Object.keys(reader.entry(5)?.data ?? {})).toEqual(['call', 'decision', 'policy', 'shim']);
  });

  it('answers the queries of the audit trail', async () => {
    const trail = new AuditTrail(reader, scratch.path);
    expect(seqs(trail.getByRequestId('req-act-1'))).toEqual([10, 11]);
    expect(seqs(trail.getByTimeRange(T0, T0 + 1))).toEqual([1, 2]);
    expect(seqs(trail.getByAction('service.api_call'))).toEqual([12, 11, 10]);
    expect(seqs(trail.getRecent(2))).toEqual([15, 14]);
    expect((await trail.verifyChainIntegrity({ headsLog: scratch.headsLog })).verdict).toBe('ok');
  });
});

describe('events of Contract A', () => {
  it('carry the envelope of their run and fit the schema of their type', () => {
    const events = reader.byRun('run-1', { order: 'asc' }).rows.flatMap((row) => [reader.toEvent(row) ?? {}]);
    const known = events.filter(({ type }) => typeof type === 'string' && !/^(action|upstream)_/.test(type));
    expect(known.map((event) => event['type'])).toEqual([
      'run_start',
      'tool_call_start',
      'tool_call_decision',
      'tool_call_end',
      'tool_call_start',
      'tool_call_decision',
      'tool_call_end',
      'hint_issued',
      'run_end',
    ]);
    for (const event of known) expect(SublEvent.parse(event)).toEqual(event);
    const producers = known.map(({ source }) => (source as { proc_id: string }).proc_id);
    expect([producers.at(0), producers.at(-1)]).toEqual(['gateway-1', 'gateway-2']);
    expect(new Set(producers.slice(1, -1))).toEqual(new Set(['proc-1']));
    expect(known.filter((event) => 'proc_id' in event)).toEqual([]);
  });

  it('look like this', () => {
    const row = reader.entry(4);
    expect(row && reader.toEvent(row)).toEqual({
      v: '0.2.0',
      type: 'tool_call_start',
      ts: '2026-01-02T03:04:05.688Z',
      run_id: 'run-1',
      agent_id: 'agent',
      client: 'claude',
      env: 'dev',
      source: { host_id: 'host-1', proc_id: 'proc-1', shim_id: 'shim-1' },
      principal: 'me',
      workload: { user: 'u' },
      call: {
        call_id: 'call-1',
        server_name: 'files',
        tool_name: 'read',
        transport: 'mcp_stdio',
        args_hash: HASH,
        bytes_in: 40,
        preview: { truncated: false, args_preview: '{"path":"/tmp/ä"}' },
        seq: 1,
      },
      audit_ref: `4.${row?.leaf}`,
    });
  });

  it('keep their envelope, whatever the entry calls its own members', async () => {
    const scratched = await new Scratch().fill(async (ledger) => {
      const loaded = { type: 'policy_loaded', ts: 1, runId: 'run-1', data: { source: 'run', v: 2 } } as const;
      await ledger.append({ entries: [runStart('run-1'), loaded] });
    });
    const reading = openLedgerReader(scratched.path);
    const [, row] = reading.byRun('run-1', { order: 'asc' }).rows;
    expect(row && reading.toEvent(row)).toMatchObject({
      v: '0.2.0',
      source: { host_id: 'host', proc_id: 'gateway', shim_id: 'gateway' },
    });
    reading.close();
    scratched.remove();
  });

  it('do not exist for entries of the gateway itself', () => {
    const row = reader.entry(1);
    expect(row && reader.toEvent(row)).toBeNull();
  });
});

describe('the views', () => {
  const rows = (sql: string): unknown[] => {
    const db = new SqliteDatabase(scratch.path, { readonly: true });
    const found = db.prepare(sql).all();
    db.close();
    return found;
  };

  it('answer the queries about runs and calls', () => {
    expect(rows('SELECT run_id, agent_id, client, env, started_at, ended_at, status FROM runs')).toEqual([
      {
        run_id: 'run-1',
        agent_id: 'agent',
        client: 'claude',
        env: 'dev',
        started_at: '2026-01-02T03:04:05.679Z',
        ended_at: '2026-01-02T03:04:05.728Z',
        status: 'SUCCEEDED',
      },
    ]);
    expect(rows('SELECT * FROM tool_calls ORDER BY created_at')).toEqual([
      {
        call_id: 'call-1',
        run_id: 'run-1',
        server_name: 'files',
        tool_name: 'read',
        args_hash: HASH,
        decision: 'ALLOW',
        rule_id: null,
        status: 'OK',
        latency_ms: 7,
        bytes_in: 40,
        bytes_out: 9,
        preview_truncated: 1,
        created_at: '2026-01-02T03:04:05.688Z',
      },
      expect.objectContaining({ call_id: 'call-2', decision: 'BLOCK', rule_id: 'r1', status: 'ERROR' }),
    ]);
    expect(rows(`SELECT args_preview, result_preview FROM previews WHERE call_id = 'call-1'`)).toEqual([
      { args_preview: '{"path":"/tmp/ä"}', result_preview: 'content' },
    ]);
    expect(rows('SELECT call_id, hint_text, suggested_args_json FROM hints')).toEqual([
      { call_id: 'call-2', hint_text: 'try less', suggested_args_json: '{"n":1}' },
    ]);
    expect(rows('SELECT policy_id, version, mode, rules_hash, rules_json FROM policy_versions')).toEqual([
      {
        policy_id: 'p',
        version: '1',
        mode: 'guardrails',
        rules_hash: HASH,
        rules_json: '[{"rule_id":"r1"}]',
      },
    ]);
  });

  it('answer the queries of the audit trail', () => {
    const log = rows('SELECT request_id, action, direction, status, payload_hash, signature FROM audit_log');
    const row = (request_id: string, action: string, direction: string, status: string) => ({
      request_id,
      action,
      direction,
      status,
      payload_hash: HASH,
      signature: 'mac',
    });
    expect(log).toEqual([
      row('req-call-1', 'tool.call.begin', 'request', 'pending'),
      { ...row('req-call-1', 'tool.call.end', 'response', 'success') },
      row('req-call-2', 'tool.call.begin', 'request', 'rejected'),
      row('req-call-2', 'tool.call.end', 'response', 'error'),
      row('req-act-1', 'service.api_call', 'request', 'pending'),
      row('req-act-1', 'service.api_call', 'response', 'success'),
      row('req-act-2', 'service.api_call', 'response', 'rate_limited'),
    ]);
    expect(rows('SELECT id, timestamp, created_at FROM audit_log LIMIT 1')).toEqual([
      {
        id: `5.${reader.entry(5)?.leaf}`,
        timestamp: '2026-01-02T03:04:05.688Z',
        created_at: '2026-01-02 03:04:05',
      },
    ]);
  });
});

describe('a time range', () => {
  it('finds what lies in it, newest entry first and page by page, though the clock went back and forth', async () => {
    const times = Array.from({ length: 400 }, (_, at) => ((at * 7919) % 400) + (at > 200 ? 150 : 0));
    const own = await new Scratch().fill(async (ledger) => {
      for (const ts of times)
        await ledger.append({ entries: [{ type: 'shim_health', ts, runId: 'r', data: {} }] });
    });
    const opened = openLedgerReader(own.path);
    for (const [from, to] of [
      [0, 1000],
      [100, 180],
      [399, 399],
      [0, 0],
      [600, 700],
      [200, 100],
    ] as const) {
      const expected = times.flatMap((ts, at) => (ts >= from && ts <= to ? [at + 1] : []));
      for (const order of ['asc', 'desc'] as const) {
        const found: number[] = [];
        for (let cursor: number | null = null, first = true; first || cursor !== null; first = false) {
          const page: Page<LedgerRow> = opened.byTimeRange(from, to, { order, limit: 30, cursor });
          found.push(...page.rows.map(({ seq }) => seq));
          cursor = page.next;
        }
        expect(found).toEqual(order === 'asc' ? expected : expected.toReversed());
      }
    }
    opened.close();
    own.remove();
  });
});
