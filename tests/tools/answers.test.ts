import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { JsonValue, Ticket } from '@subluminal/core-types';
import { homePaths, processIdentity, removeTicket, writeTicket } from '@subluminal/ipc';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { RawSession } from '../harness/raw-session.js';
import { startShim } from '../shim/start.js';
import { HandshakeGateway, type Reply } from '../support/handshake-gateway.js';
import { tool } from './lister.js';

// Answers that no gateway gives, or none at all, from one whose wire is real.

const LISTING = fileURLToPath(new URL('fixtures/listing-server.mjs', import.meta.url));
const holder = processIdentity(process.pid);

let root: string;
let gateway: HandshakeGateway;
let session: RawSession;
let reply: Reply | undefined;

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'list-'));
  const paths = homePaths(join(root, 'home'));
  mkdirSync(paths.home, { mode: 0o700 });
  mkdirSync(paths.runDir, { mode: 0o700 });
  gateway = new HandshakeGateway({
    socketPath: paths.socket,
    answer: (request) => (request.action === 'tools.listed' ? reply : {}),
  });
  await gateway.listen();
  const ticket: Ticket = {
    v: 1,
    run_id: 'run-of-this-test',
    agent_id: 'a',
    client: 'custom',
    env: 'dev',
    attested: true,
    credential: gateway.credential('run', 'run-of-this-test'),
  };
  if (holder === undefined || !writeTicket(paths, holder, ticket)) throw new Error('no ticket');
  const file = join(root, 'tools');
  writeFileSync(file, JSON.stringify({ tools: [tool('a'), tool('b')] }));
  session = await startShim({
    home: paths.home,
    autostart: false,
    command: [process.execPath, LISTING],
    env: { TOOLS_FILE: file, CALLS_FILE: join(root, 'calls') },
  });
  removeTicket(paths, holder);
});

afterEach(async () => {
  if (session.child.exitCode === null) await session.close();
  await gateway.close();
  rmSync(root, { recursive: true });
});

test.each<[string, JsonValue]>([
  ['says nothing', {}],
  ['is no object', [0]],
  ['names places that are none', { leave_out: [2] }],
  ['names places that are no numbers', { leave_out: ['0'] }],
  ['names no list of places', { leave_out: 0 }],
])('an answer that %s lets no list through', async (_, data) => {
  reply = { status: 'success', data };
  const { error } = await session.request('tools/list');
  expect(error?.message).toContain('the gateway did not say what of the list of tools may be seen');
});

test('a refusal of the gateway is told to the client, and nothing of the list', async () => {
  reply = {
    status: 'error',
    error: { code: 'overloaded', message: 'too many tools' },
    data: { leave_out: [] },
  };
  const answer = await session.request('tools/list');
  expect(answer).not.toHaveProperty('result');
  expect(answer.error?.message).toContain('too many tools');
});

test('a list for which no gateway answers is refused, and the session goes on', async () => {
  await gateway.close();
  const answer = await session.request('tools/list');
  expect(answer.error?.message).toContain('no gateway checked the list of tools');
  expect(await session.request('ping')).toHaveProperty('result');
});

test('only the places that the gateway names are left out', async () => {
  reply = { status: 'success', data: { leave_out: [0] } };
  expect((await session.request('tools/list')).result).toEqual({ tools: [tool('b')] });
  reply = { status: 'success', data: { leave_out: [] } };
  expect((await session.request('tools/list')).result).toEqual({ tools: [tool('a'), tool('b')] });
});

test('the gateway is told where a page stands by the hash of its cursor', async () => {
  reply = { status: 'success', data: { leave_out: [] } };
  await session.request('tools/list');
  await session.request('tools/list', { cursor: '1' });
  const listed = gateway.requests
    .filter(({ action }) => action === 'tools.listed')
    .map(({ payload }) => payload);
  expect(listed).toMatchObject([
    { server_name: 'scripted', epoch: 0, argv_hash: expect.stringMatching(/^[0-9a-f]{64}$/) },
    { server_name: 'scripted', cursor: expect.stringMatching(/^[0-9a-f]{64}$/) },
  ]);
  expect(listed[0]).not.toHaveProperty('cursor');
});
