import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { JsonObject } from '@subluminal/core-types';
import { expect, it } from 'vitest';
import { after, start } from '../gateway/harness.js';
import { shimArgv } from '../shim/start.js';
import { answer } from './fixtures/answering-server.mjs';
import { httpWorld, sayJson, scripted, type Got } from './world.js';

const SERVER = fileURLToPath(new URL('fixtures/answering-server.mjs', import.meta.url));
const POLICY = `policy_id: parity
version: "1"
mode: control
defaults: { decision_on_error: BLOCK }
selectors: {}
rules:
  - { rule_id: no-danger, kind: deny, enabled: true, severity: critical, match: { tool_name: { glob: ["danger"] } },
      effect: { action: BLOCK, reason_code: DENYLIST_MATCH, message: "no danger" } }
  - { rule_id: no-resources, kind: deny, enabled: true, severity: warn, match: { tool_name: { glob: ["mcp:resources/*"] } },
      effect: { action: BLOCK, reason_code: DENYLIST_MATCH, message: "no resources" } }
`;

const call = (id: number | string, name: string, args: JsonObject = {}): string =>
  JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args } });

/** The same for both: what passes, what is refused, what fails, and what cannot be judged. */
const SCRIPT: readonly string[] = [
  JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params: { protocolVersion: '2025-11-25' } }),
  JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
  call(2, 'echo', { text: 'hello', n: 1 }),
  call('three', 'echo', { token: 'ghp_0123456789abcdefghijklmnopqrstuvwxyz' }),
  call(4, 'danger', { path: '/etc' }),
  call(5, 'fails'),
  call(6, 'errs'),
  JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'resources/read', params: { uri: 'file:///a' } }),
  JSON.stringify({ jsonrpc: '2.0', id: 8, method: 'unknown/method', params: { a: 1 } }),
  call(9, 'unlisted'),
  '{"jsonrpc":"2.0","id":10,"method":"tools/call","params":{"name":"echo","name":"danger","arguments":{}}}',
  '{"jsonrpc":"2.0","id":11,"method":"tools/call","params":{"name":"echo","Arguments":{},"arguments":{}}}',
  `{"jsonrpc":"2.0","id":12,"method":"tools/call","params":{"name":"echo","arguments":{"big":"${'b'.repeat(1_100_000)}"}}}`,
];

/**
 * What the record has of them, without what is other for every run: ids, times, places, the transport itself.
 */
function compared(rows: readonly { type: string; code: unknown; data: JsonObject }[]): unknown[] {
  return rows
    .filter(({ type }) => /^(?:tool_call|message_dropped|tool_)/.test(type))
    .map(({ type, code, data }) => [type, code, blank(data)]);
}

const CHANGING =
  /^(?:req|shim|shim_id|call_id|seq|run_id|latency_ms|ts|transport|argv_hash|program_hash|payload_hash|event_id|started_at|ended_at)$/;

function blank(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(blank);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, one]) => (CHANGING.test(key) ? [] : [[key, blank(one)]])),
  );
}

const normal = (text: string): unknown =>
  JSON.parse(text.replaceAll(/"(?:run_id|call_id|audit_ref)":"[^"]*"/g, '"id":"…"')) as unknown;

it('a script over HTTP leaves the record that it leaves over stdio, field by field, and gets the same answers', async () => {
  const stdio = await start({ policy: POLICY });
  const argv = shimArgv({ home: stdio.paths.home, autostart: false, command: [process.execPath, SERVER] });
  const [program = '', ...args] = argv;
  const shim = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  after(() => void shim.kill('SIGKILL'));
  const lines = createInterface({ input: shim.stdout })[Symbol.asyncIterator]();
  const ended = (world: typeof stdio) => (): boolean => world.calls().every(({ end }) => end !== undefined);
  const overStdio: unknown[] = [];
  for (const message of SCRIPT) {
    shim.stdin.write(`${message}\n`);
    overStdio.push(normal(String((await lines.next()).value)));
    await expect.poll(ended(stdio)).toBe(true);
  }
  shim.stdin.end();

  const world = await httpWorld({ policy: POLICY });
  const server = await scripted((got: Got, response) =>
    sayJson(response, answer(JSON.parse(got.body) as JsonObject)),
  );
  const overHttp: unknown[] = [];
  for (const message of SCRIPT) {
    overHttp.push(normal((await world.post(server.url, message, { name: 'scripted' })).text));
    await expect.poll(ended(world.gateway)).toBe(true);
  }

  expect(overHttp).toEqual(overStdio);
  const rows = world.gateway.rows();
  expect(compared(rows)).toEqual(compared(stdio.rows()));
  const transports = rows
    .filter(({ type }) => type === 'tool_call_start')
    .map(({ data }) => JSON.stringify(data));
  expect(transports.length).toBeGreaterThan(8);
  expect(transports.every((text) => text.includes('"transport":"mcp_http"'))).toBe(true);
});
