import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ActionRequest, Ticket } from '@subluminal/core-types';
import { homePaths, processIdentity, removeTicket, writeTicket } from '@subluminal/ipc';
import { eventually } from '../harness/processes.js';
import type { RawSession } from '../harness/raw-session.js';
import { HandshakeGateway, type Reply } from '../support/handshake-gateway.js';
import { startShim } from './start.js';

// Decisions that no policy gives yet, from a gateway whose wire is real and whose answers are scripted.

const policy = { policy_id: 'p', policy_version: '1', policy_hash: 'h' };
const hash = 'a'.repeat(64);

const holder = processIdentity(process.pid);
let root: string;
let gateway: HandshakeGateway;
let session: RawSession;
let reply: (request: ActionRequest) => Reply | Promise<Reply> | undefined;

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'decide-'));
  const paths = homePaths(join(root, 'home'));
  mkdirSync(paths.home, { mode: 0o700 });
  mkdirSync(paths.runDir, { mode: 0o700 });
  gateway = new HandshakeGateway({
    socketPath: paths.socket,
    answer: (request) => (request.action === 'tool.call.begin' ? reply(request) : {}),
  });
  await gateway.listen();
  const credential = gateway.credential('run', 'run-of-this-test');
  const ticket: Ticket = {
    v: 1,
    run_id: 'run-of-this-test',
    agent_id: 'a',
    client: 'custom',
    env: 'dev',
    attested: true,
    credential,
  };
  if (holder === undefined || !writeTicket(paths, holder, ticket)) throw new Error('no ticket');
  session = await startShim({ home: paths.home, autostart: false });
  removeTicket(paths, holder);
});

afterEach(async () => {
  if (session.child.exitCode === null) await session.close();
  await gateway.close();
  rmSync(root, { recursive: true });
});

const decision = (action: string, more: object = {}) => ({
  decision: { action, rule_id: 'r', severity: 'warn', reason_code: 'REASON', summary: 'a summary', ...more },
  policy,
  args_hash: hash,
});
const call = () => session.request('tools/call', { name: 'echo', arguments: { a: 1 } });
/** Every end that was reported, by itself or with the next call. */
const ends = () =>
  gateway.requests.flatMap(({ action, payload }) => {
    if (action === 'tool.call.end') return [payload];
    const carried = action === 'tool.call.begin' ? payload['ends'] : undefined;
    return Array.isArray(carried) ? carried : [];
  });

test('THROTTLE tells how long to wait', async () => {
  reply = () => ({
    status: 'rate_limited',
    data: decision('THROTTLE', { backoff_ms: 250 }),
    auditRef: '9.ff',
  });
  expect((await call()).error).toMatchObject({
    code: -32082,
    data: {
      subluminal: {
        action: 'THROTTLE',
        backoff_ms: 250,
        retry_advice: 'wait 250 ms, then ask again',
        audit_ref: '9.ff',
      },
    },
  });
});

test('THROTTLE passes on what the rule advises', async () => {
  reply = () => ({
    status: 'rate_limited',
    data: decision('THROTTLE', { backoff_ms: 250, retry_advice: 'try again at noon' }),
  });
  expect((await call()).error).toMatchObject({
    message: expect.stringContaining('try again at noon'),
    data: { subluminal: { backoff_ms: 250, retry_advice: 'try again at noon' } },
  });
});

test('REJECT_WITH_HINT carries the hint with its numbers as they are', async () => {
  const hint = {
    hint_text: 'ask for less',
    suggested_args: { limit: 10 },
    retry_advice: null,
    hint_kind: 'ARG_FIX',
  };
  reply = () => ({ status: 'error', data: decision('REJECT_WITH_HINT', { hint }) });
  expect((await call()).error).toMatchObject({
    code: -32083,
    data: { subluminal: { action: 'REJECT_WITH_HINT', hint, args_hash: hash, run_id: 'run-of-this-test' } },
  });
});

test('TERMINATE_RUN is answered, and then the session ends', async () => {
  const terminate = { terminate_code: 'LOOP', terminate_message: 'it loops' };
  reply = () => ({ status: 'error', data: decision('TERMINATE_RUN', { terminate }) });
  expect((await call()).error).toMatchObject({
    code: -32084,
    data: { subluminal: { action: 'TERMINATE_RUN', policy, terminate } },
  });
  await eventually('the shim ends', () => session.child.exitCode !== null);
  expect(session.child.exitCode).toBe(3);
});

test.each([
  ['ALLOW with another status', { status: 'error' as const, data: decision('ALLOW') }],
  ['success without a decision', { data: { policy, args_hash: hash } }],
  ['an unknown action', { data: decision('PERMIT') }],
  ['no severity', { data: decision('ALLOW', { severity: undefined }) }],
  ['no policy', { data: { ...decision('ALLOW'), policy: null } }],
  [
    'an error of the gateway',
    { status: 'error' as const, error: { code: 'audit_unavailable', message: 'no ledger' } },
  ],
])('%s is no permission', async (_name, answer) => {
  reply = () => JSON.parse(JSON.stringify(answer));
  expect((await call()).error).toMatchObject({ code: -32081, data: { subluminal: { action: 'BLOCK' } } });
});

/** Makes a call and takes it back in one write, as a client does that wants nothing of it recorded. */
function callAndCancel(name: string, args: object): void {
  const asked = { jsonrpc: '2.0', id: 'c', method: 'tools/call', params: { name, arguments: args } };
  const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'c' } };
  session.write(`${JSON.stringify(asked)}\n${JSON.stringify(cancelled)}\n`);
}

test('a call that was cancelled and answered all the same is reported with what its client got', async () => {
  reply = () => ({ data: decision('ALLOW') });
  callAndCancel('echo', { a: 1 });
  await eventually('its end is reported', () => ends().length === 1);
  expect(session.unclaimed).toEqual([expect.objectContaining({ id: 'c', result: expect.anything() })]);
  expect(ends()).toMatchObject([
    {
      status: 'CANCELLED',
      bytes_out: expect.any(Number),
      preview: { result_preview: expect.stringContaining('{\\"a\\":1}') },
    },
  ]);
  expect(ends()[0]).not.toMatchObject({ bytes_out: 0 });
  expect(await session.close()).toBe(0);
});

test('each of many messages that are dropped at once is counted', async () => {
  session.write('not json\n'.repeat(300));
  const told = () =>
    gateway.requests
      .filter(({ action }) => action === 'message.dropped')
      .map(({ payload }) => payload as { reason: string; bytes: number; count?: number });
  const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);
  await eventually('all are told', () => sum(told().map(({ count = 1 }) => count)) >= 300);
  expect(new Set(told().map(({ reason }) => reason))).toEqual(new Set(['invalid_json']));
  expect(sum(told().map(({ count = 1 }) => count))).toBe(300);
  expect(sum(told().map(({ bytes }) => bytes))).toBe(300 * (told()[0]?.bytes ?? 0));
  expect(await session.close()).toBe(0);
});

test('what comes long after a cancellation goes nowhere, and is recorded as dropped', async () => {
  reply = () => ({ data: decision('ALLOW') });
  callAndCancel('slow', { ms: 3500 });
  await eventually('its end is reported', () => ends().length === 1);
  expect(ends()).toMatchObject([{ status: 'CANCELLED', bytes_out: 0 }]);
  const dropped = () => gateway.requests.filter(({ action }) => action === 'message.dropped');
  await eventually('its answer is dropped', () => dropped().length === 1);
  expect(dropped()).toMatchObject([{ payload: { reason: 'duplicate_answer', direction: 'to_client' } }]);
  expect(session.unclaimed).toEqual([]);
  expect(await session.close()).toBe(0);
  expect(ends()).toHaveLength(1);
});

test('a call that ends is reported with its outcome, redacted', async () => {
  reply = () => ({ data: decision('ALLOW') });
  await call();
  await session.request('tools/call', { name: 'fail', arguments: {} });
  await session.request('tools/call', { name: 'forge', arguments: { code: -32000 } });
  session.write(
    '{"jsonrpc":"2.0","id":"c","method":"tools/call","params":{"name":"never","arguments":{}}}\n',
  );
  session.write('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"c"}}\n');
  session.write(
    '{"jsonrpc":"2.0","id":"n","method":"tools/call","params":{"name":"never","arguments":{}}}\n',
  );
  await session.request('tools/call', { name: 'big', arguments: { bytes: 1_200_000 } });
  await eventually('five ends are reported', () => ends().length === 5);
  expect(await session.close()).toBe(0);
  expect(ends()).toMatchObject([
    {
      status: 'OK',
      bytes_out: expect.any(Number),
      preview: { truncated: false, result_preview: expect.stringContaining('{\\"a\\":1}') },
    },
    {
      status: 'ERROR',
      error: { class: 'upstream_error' },
      preview: { result_preview: expect.stringContaining('[REDACTED]') },
    },
    { status: 'ERROR', error: { class: 'upstream_error', code: -32000, message: 'do as I say' } },
    {
      status: 'OK',
      result_stream_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      preview: { truncated: true },
    },
    { status: 'CANCELLED' },
    { status: 'ERROR', error: { class: 'transport' } },
  ]);
  expect(JSON.stringify(ends())).not.toContain('hunter2');
  expect(gateway.requests.at(-1)).toMatchObject({
    action: 'upstream.end',
    payload: { exit_code: 0, signal: null },
  });
});

test('an end travels with the next call, and again by itself where that call got no decision', async () => {
  reply = () => ({ data: decision('ALLOW') });
  await call();
  reply = () => ({ status: 'error', error: { code: 'overloaded', message: 'later' } });
  await call();
  await eventually('the end is reported again', () => ends().length === 2);
  const [begin, carrier, alone] = gateway.requests.slice(-3);
  const callId = begin?.payload['call_id'];
  expect(carrier).toMatchObject({ action: 'tool.call.begin', payload: { ends: [{ call_id: callId }] } });
  expect(alone).toMatchObject({ action: 'tool.call.end', payload: { call_id: callId, status: 'OK' } });
});

test('several calls are decided at once, and reach the server in their order', async () => {
  let release: (() => void) | undefined;
  let asked = 0;
  reply = async (request) => {
    asked += 1;
    if (asked === 1) await new Promise<void>((resolve) => (release = resolve));
    else if (asked === 5) release?.();
    return { data: decision(request.payload['tool_name'] === 'echo' ? 'ALLOW' : 'BLOCK') };
  };
  const answers = await Promise.all(
    Array.from({ length: 5 }, (_, n) => session.request('tools/call', { name: 'echo', arguments: { n } })),
  );
  expect(answers.map(({ result }) => JSON.stringify(result))).toEqual(
    answers.map((_, n) => expect.stringContaining(`\\"n\\":${n}`)),
  );
});

test('what is not forwarded is reported with its reason', async () => {
  reply = () => ({ data: decision('ALLOW') });
  session.write(
    '[]\n{"a":1,"a":2}\n{"jsonrpc":"2.0","method":"tools/call"}\n{"jsonrpc":"2.0","id":9,"result":1}\nx\n',
  );
  await session.request('tools/call', { name: 'twice', arguments: {} });
  const dropped = () => gateway.requests.filter(({ action }) => action === 'message.dropped');
  await eventually('six messages are reported', () => dropped().length === 6);
  expect(dropped().map(({ payload }) => [payload['direction'], payload['reason']])).toEqual([
    ['to_server', 'batch'],
    ['to_server', 'ambiguous'],
    ['to_server', 'notification_call'],
    ['to_server', 'unsolicited_answer'],
    ['to_server', 'invalid_json'],
    ['to_client', 'duplicate_answer'],
  ]);
});
