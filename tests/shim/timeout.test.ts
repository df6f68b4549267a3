import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openLedgerReader, type LedgerRow } from '@subluminal/ledger';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHome, type TestHome } from '../harness/home.js';
import { eventually } from '../harness/processes.js';
import { openRawSession, type RawSession } from '../harness/raw-session.js';
import { runSub, shimCommand } from '../harness/sub.js';
import { SCRIPTED } from './start.js';

const CONFIG =
  '[calls]\ntimeout_ms = 400\n[servers.patient]\ntimeout_ms = 60000\n[inspect]\nmax_inspect_bytes = 2000\n';

let home: TestHome;
let folder: string;
let log: string;
beforeAll(async () => {
  home = createHome({ config: CONFIG });
  folder = mkdtempSync(join(tmpdir(), 'sub-time-'));
  log = join(folder, 'server.log');
  expect(await runSub(['up', '--home', home.home])).toMatchObject({ code: 0 });
});
afterAll(async () => {
  await home.remove();
  rmSync(folder, { recursive: true, force: true });
});

function session(name: string): Promise<RawSession> {
  const argv = shimCommand(home.home, name, [process.execPath, SCRIPTED]);
  const at = argv.indexOf('--', argv.indexOf('--server'));
  return openRawSession([...argv.slice(0, at), '--pass', '*', ...argv.slice(at)], {
    ...process.env,
    SERVER_LOG: log,
  });
}

const call = (one: RawSession, name: string, args: object = {}, id?: string | number) =>
  one.request('tools/call', { name, arguments: args }, id);

function rows(server: string): LedgerRow[] {
  const reader = openLedgerReader(home.ledger);
  try {
    return reader
      .all({ order: 'asc', limit: 1000 })
      .rows.filter(({ tool, data }) => tool?.[0] === server || data['server_name'] === server);
  } finally {
    reader.close();
  }
}
const ends = (server: string) => rows(server).filter(({ type }) => type === 'tool_call_end');

describe('a call that takes longer than it may', () => {
  it('is given up: the client gets an error, the server is told, the record says TIMEOUT', async () => {
    const one = await session('hasty');
    const answer = await call(one, 'never', {}, 'id-"7"');
    expect(answer.error).toEqual({
      code: -32001,
      message:
        'the server did not answer within 400 ms, and the call was given up; ' +
        'whether it had an effect is not known: look before you try again',
      data: { timeout_ms: 400 },
    });
    await eventually('the server is told', () =>
      readFileSync(log, 'utf8').includes(
        '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"id-\\"7\\""',
      ),
    );
    // The session goes on, and its other calls are what they were.
    expect((await call(one, 'echo', { a: 1 })).error).toBeUndefined();
    await one.close();
    await eventually('the ends are recorded', () => ends('hasty').length === 2);
    expect(ends('hasty').map(({ code, data }) => [code, data['error']])).toEqual([
      ['TIMEOUT', { class: 'timeout', message: 'the server did not answer within 400 ms', retryable: false }],
      ['OK', undefined],
    ]);
    const starts = rows('hasty').filter(({ type }) => type === 'tool_call_start');
    expect(starts.map(({ data }) => data['call'])).toEqual([
      expect.objectContaining({ timeout_ms: 400 }),
      expect.objectContaining({ timeout_ms: 400 }),
    ]);
  });

  it('that is answered late has its answer dropped and recorded, and is reported once', async () => {
    const one = await session('late');
    expect((await call(one, 'slow', { ms: 900 }, 5)).error).toMatchObject({ code: -32001 });
    // Its id is not free while the server may still answer it: the answer would be taken for that of another
    // call.
    expect((await call(one, 'echo', {}, 5)).error).toMatchObject({ code: -32600 });
    // A client that gives up as well changes nothing.
    one.write('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}\n');
    await eventually('the late answer is dropped', () => {
      const reader = openLedgerReader(home.ledger);
      const found = reader
        .byType('message_dropped')
        .rows.some(({ data }) => data['reason'] === 'duplicate_answer');
      reader.close();
      return found;
    });
    expect((await call(one, 'echo', { a: 1 }, 5)).result).toBeDefined();
    expect(one.unclaimed).toEqual([]);
    await one.close();
    await eventually('the ends are recorded', () => ends('late').length === 2);
    expect(ends('late').map(({ code }) => code)).toEqual(['TIMEOUT', 'OK']);
  });

  it('has the time of its own server where that is set', async () => {
    const one = await session('patient');
    expect((await call(one, 'slow', { ms: 700 })).error).toBeUndefined();
    await one.close();
  });

  it('that its client gave up before is not given up again', async () => {
    const one = await session('gone');
    const asked = call(one, 'never', {}, 9);
    asked.catch(() => undefined);
    await eventually('it is allowed', () => rows('gone').some(({ code }) => code === 'ALLOW'));
    one.write('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":9}}\n');
    await new Promise((resolve) => setTimeout(resolve, 700));
    expect(one.unclaimed).toEqual([]);
    await one.close();
    await eventually('its end is recorded', () => ends('gone').length === 1);
    expect(ends('gone').map(({ code }) => code)).toEqual(['CANCELLED']);
  });
});

describe('`[inspect] max_inspect_bytes`', () => {
  it('says how much of a message over stdio is inspected, of a call as of its answer', async () => {
    const one = await session('patient');
    const small = await call(one, 'echo', { a: 'x'.repeat(100) });
    const large = await call(one, 'echo', { a: 'x'.repeat(3000) });
    expect(JSON.stringify(small.result)).toContain('x'.repeat(100));
    expect(JSON.stringify(large.result)).toContain('x'.repeat(3000));
    await one.close();
    const isOf = (row: LedgerRow, type: string): boolean => row.type === type;
    await eventually('the ends are recorded', () => ends('patient').length >= 3);
    const starts = rows('patient').filter((row) => isOf(row, 'tool_call_start'));
    const shown = (found: readonly LedgerRow[]) => found.slice(-2).map(({ blobs }) => Object.keys(blobs));
    expect(shown(starts)).toEqual([['call.preview.args_preview'], []]);
    expect(starts.at(-1)?.data['call']).toMatchObject({
      args_stream_hash: expect.any(String),
      preview: { truncated: true },
    });
    expect(shown(ends('patient'))).toEqual([['preview.result_preview'], []]);
    expect(ends('patient').at(-1)?.data).toMatchObject({
      result_stream_hash: expect.any(String),
      preview: { truncated: true },
    });
  });
});
