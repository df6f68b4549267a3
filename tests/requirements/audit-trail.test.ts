import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AuditEntry } from '@subluminal/core-types';
import { AuditTrail, openLedgerReader, verifyLedger } from '@subluminal/ledger';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { after, start, toolCall, toolEnd } from '../gateway/harness.js';

const CONFIG = '[rate_limits.actions]\n"service.api_call" = 1\n[anomaly]\nnew_domain = "flag"\n';

const folder = mkdtempSync(join(tmpdir(), 'sub-trail-'));
const ledger = join(folder, 'ledger.db');
const headsLog = join(folder, 'heads.log');
let requests: string[];
let began: number;

beforeAll(async () => {
  began = Date.now();
  const server = createServer(
    (request, response) => void request.resume().on('end', () => response.end('{}')),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  after(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const world = await start({ config: CONFIG });
  const operator = await world.operator();
  await operator.request('allow.add', { host: '127.0.0.1', port, allow_private: true });
  const get = (host: string) =>
    operator.request('service.api_call', {
      service: 's',
      endpoint: `http://${host}:${port}/`,
      method: 'GET',
    });
  const answers = [await get('127.0.0.1'), await get('127.0.0.1'), await get('elsewhere.example')];
  requests = answers.map(({ requestId }) => requestId);
  const { client } = await world.run();
  for (let n = 0; n < 3; n += 1) {
    const call = toolCall();
    await client.request('tool.call.begin', call);
    await client.request('tool.call.end', toolEnd(call.call_id));
  }
  await world.gateway.stop('test');
  copyFileSync(world.paths.ledgerDb, ledger);
  copyFileSync(world.headsLog, headsLog);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Reads the file of the ledger as a program of any kind can. */
function inFile<T>(path: string, read: (db: Database.Database) => T): T {
  const db = new Database(path);
  try {
    return read(db);
  } finally {
    db.close();
  }
}

describe('the audit trail of a gateway', () => {
  it('has a request and its outcome for what was done, and one row with its reason for what was refused', () => {
    const rows = inFile(ledger, (db) =>
      db
        .prepare("SELECT * FROM audit_log WHERE action = 'service.api_call' ORDER BY cast(id AS INTEGER)")
        .all(),
    ) as Record<string, string>[];
    expect(rows.map(({ request_id, direction, status }) => [request_id, direction, status])).toEqual([
      [requests[0], 'request', 'pending'],
      [requests[0], 'response', 'success'],
      [requests[1], 'response', 'rate_limited'],
      [requests[2], 'response', 'rejected'],
    ]);
    for (const row of rows) {
      expect(Object.keys(row)).toEqual([
        'id',
        'request_id',
        'timestamp',
        'action',
        'direction',
        'status',
        'payload_hash',
        'signature',
        'metadata',
        'created_at',
      ]);
      expect(row['payload_hash']).toMatch(/^[0-9a-f]{64}$/);
      expect(row['signature']).toMatch(/./);
    }
    expect(rows.map(({ metadata = '' }) => /"code":"(\w+)"/.exec(metadata)?.[1])).toEqual([
      undefined,
      undefined,
      'rate_limited',
      'not_allowed',
    ]);
  });

  it('tells of the start and the stop, of tool calls and of what was unusual, each with every column', () => {
    const reader = openLedgerReader(ledger);
    const all = [...new AuditTrail(reader, ledger).entries()].map((row) => AuditEntry.parse(row));
    const count = (action: string) => all.filter((row) => row.action === action).length;
    expect(all[0]?.action).toBe('gateway_start');
    expect(all.map((row) => row.action)).toContain('gateway_stop');
    expect([count('tool.call.begin'), count('tool.call.end'), count('anomaly')]).toEqual([3, 3, 1]);
    expect(all.filter((row) => row.action === 'tool.call.begin').map((row) => row.status)).toEqual([
      'pending',
      'pending',
      'pending',
    ]);
    reader.close();
  });

  it('answers by request, by time, by action, and with the newest', async () => {
    const reader = openLedgerReader(ledger);
    const trail = new AuditTrail(reader, ledger);
    expect(trail.getByRequestId(requests[0] ?? '').map(({ type }) => type)).toEqual([
      'action_pending',
      'action_result',
    ]);
    const all = trail.getByTimeRange(began, Date.now());
    expect(all.length).toBe(reader.recent(1)[0]?.seq);
    expect(trail.getByTimeRange(0, began - 1)).toEqual([]);
    expect(trail.getByAction('service.api_call').map(({ type }) => type)).toEqual([
      'action_rejected',
      'action_rejected',
      'action_result',
      'action_pending',
      'anomaly',
    ]);
    expect(trail.getRecent(2).map(({ seq }) => seq)).toEqual([all.length, all.length - 1]);
    expect(await trail.verifyChainIntegrity({ headsLog })).toMatchObject({ verdict: 'ok' });
    reader.close();
  });

  it.each([
    'UPDATE entry SET ts = 0 WHERE seq = 2',
    'DELETE FROM entry WHERE seq = 2',
    'INSERT OR REPLACE INTO entry SELECT * FROM entry WHERE seq = 2',
  ])('takes no statement that changes or removes: %s', (sql) => {
    expect(() => inFile(ledger, (db) => db.exec(sql))).toThrow(/append-only/);
  });

  it('is found to be changed in whichever entry it was, also behind the triggers', async () => {
    const entries = inFile(ledger, (db) => db.prepare('SELECT max(seq) FROM entry').pluck().get()) as number;
    for (let seq = 1; seq <= entries; seq += 1) {
      const copy = join(folder, `copy-${seq}.db`);
      copyFileSync(ledger, copy);
      inFile(copy, (db) => {
        for (const name of db.prepare("SELECT name FROM sqlite_schema WHERE type = 'trigger'").pluck().all())
          db.exec(`DROP TRIGGER "${String(name)}"`);
        db.prepare("UPDATE entry SET body = replace(body, '\"', '\" ') WHERE seq = ?").run(seq);
      });
      const report = await verifyLedger(copy, { headsLog });
      expect([seq, report.verdict]).toEqual([seq, 'tampered']);
    }
  });
});
