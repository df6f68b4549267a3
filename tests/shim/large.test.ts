import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { GatewayHome } from '../support/gateway-home.js';
import { shimArgv } from './start.js';
import { Wire } from './wire.js';

const MIB = 1_048_576;
const LARGE = 64 * MIB;
/** Above what an idle shim holds; far below one copy of the message. */
const ROOM_KB = 40 * 1024;

const Refusal = z.object({
  error: z.object({
    code: z.number(),
    data: z.object({ subluminal: z.looseObject({ args_hash: z.string() }) }).optional(),
  }),
});

const POLICY = `
policy_id: tests
version: "1"
mode: guardrails
defaults: { decision_on_error: BLOCK }
selectors: {}
rules:
  - rule_id: no-danger
    kind: deny
    enabled: true
    severity: critical
    match: { tool_name: { glob: ["danger*"] } }
    effect: { action: BLOCK, reason_code: DENYLIST_MATCH, message: "danger is not allowed" }
`;

let home: GatewayHome;
let log: string;
let wire: Wire;

beforeAll(async () => {
  home = await new GatewayHome(POLICY).start();
  log = join(home.root, 'reached.log');
  wire = new Wire(shimArgv({ home: home.paths.home }), { ...process.env, SERVER_LOG: log });
  await ping('first');
});

afterAll(async () => {
  expect(await wire.close()).toBe(0);
  await home.remove();
});

const reached = (): string => (existsSync(log) ? readFileSync(log, 'utf8') : '');
const sha256 = (data: string | Buffer): string => createHash('sha256').update(data).digest('hex');

/** The most memory that the shim has held so far. */
function peakKb(): number {
  const status = readFileSync(`/proc/${wire.child.pid}/status`, 'utf8');
  return Number(/VmHWM:\s+([0-9]+)/.exec(status)?.[1]);
}

function request(id: string, name: string, bytes: number, extra = ''): string {
  const params = `{"name":"${name}","arguments":{"a":1,"text":"${'x'.repeat(bytes)}"}${extra}}`;
  return `{"jsonrpc":"2.0","id":"${id}","method":"tools/call","params":${params}}`;
}

async function ping(id: string): Promise<void> {
  wire.send(`{"jsonrpc":"2.0","id":"${id}","method":"ping"}`);
  await wire.answer(id);
}

async function refusal(id: string): Promise<z.infer<typeof Refusal>['error']> {
  return Refusal.parse(JSON.parse((await wire.answer(id)).bytes.toString())).error;
}

describe('a message of 64 MiB', () => {
  test('reaches the server unchanged, and the shim never holds it', async () => {
    const before = peakKb();
    const line = request('up', 'size', LARGE);
    wire.send(line);
    await wire.answer('up');
    expect(reached()).toContain(`${sha256(line)} ${line.length} `);
    expect(peakKb() - before).toBeLessThan(ROOM_KB);
  });

  test('comes back from the server unchanged, and the shim never holds it', async () => {
    const before = peakKb();
    wire.send(
      `{"jsonrpc":"2.0","id":"down","method":"tools/call","params":{"name":"big","arguments":{"bytes":${LARGE}}}}`,
    );
    const { bytes } = await wire.answer('down');
    const expected = `{"jsonrpc":"2.0","id":"down","result":{"content":[{"type":"text","text":"${'r'.repeat(LARGE)}"}]}}`;
    expect(sha256(bytes)).toBe(sha256(expected));
    expect(peakKb() - before).toBeLessThan(ROOM_KB);
  });

  test('for a denied tool sends no byte to the server', async () => {
    const line = request('denied', 'danger', LARGE);
    wire.send(line);
    expect(await refusal('denied')).toMatchObject({
      code: -32081,
      data: { subluminal: { tool_name: 'danger', rule_id: 'no-danger', args_hash: sha256(line) } },
    });
    expect(reached()).not.toContain('danger');
  });

  test.each([
    ['name', ',"name":"danger"'],
    ['Name', ',"Name":"danger"'],
    ['method', '},"method":"ping","x":{'],
  ])('with a second %s behind all that sends no byte to the server', async (key, extra) => {
    const from = reached().length;
    wire.send(request(`second-${key}`, 'size', LARGE, extra));
    expect(await refusal(`second-${key}`)).toMatchObject({ code: -32600 });
    await ping(`after-${key}`);
    expect(reached().slice(from).trim().split('\n')).toHaveLength(1);
  });

  test('does not keep the answers to other calls waiting', async () => {
    wire.send(
      `{"jsonrpc":"2.0","id":"slow","method":"tools/call","params":{"name":"slow","arguments":{"ms":1}}}`,
    );
    const line = request('stalling', 'size', LARGE);
    wire.child.stdin.write(line.slice(0, LARGE / 2));
    expect((await wire.answer('slow')).head).toContain('slow');
    wire.send(line.slice(LARGE / 2));
    expect((await wire.answer('stalling')).head).toContain(String(LARGE));
  });
});

test('a message at the limit of inspection is inspected, one byte more is not', async () => {
  const overhead = request('edge', 'danger', 0).length;
  for (const [total, inspected] of [
    [MIB, true],
    [MIB + 1, false],
  ] as const) {
    const line = request('edge', 'danger', total - overhead);
    wire.send(line);
    const { data } = await refusal('edge');
    if (inspected) expect(data?.subluminal.args_hash).not.toBe(sha256(line));
    else expect(data?.subluminal.args_hash).toBe(sha256(line));
  }
});

test('a message with more members than the gateway reads is decided by its names, and passes unchanged', async () => {
  const members = Array.from({ length: 70_000 }, (_, n) => `"k${n}":1`).join(',');
  const line = request('many', 'size', 1, `,"_meta":{${members}}`);
  expect(line.length).toBeLessThan(MIB);
  wire.send(line);
  await wire.answer('many');
  expect(reached()).toContain(`${sha256(line)} ${line.length} `);
  const denied = request('many-denied', 'danger', 1, `,"_meta":{${members}}`);
  wire.send(denied);
  expect((await refusal('many-denied')).data?.subluminal.args_hash).toBe(sha256(denied));
});

test('a message over the limit of the spool is refused and the session goes on', async () => {
  const small = new Wire(shimArgv({ home: home.paths.home, limits: { maxMessageBytes: 2 * MIB } }));
  small.send(request('too-large', 'size', 3 * MIB));
  expect((await small.answer('too-large')).head).toContain('-32600');
  small.send('{"jsonrpc":"2.0","id":1,"method":"ping"}');
  await small.answer(1);
  expect(await small.close()).toBe(0);
});

test('a client that asks for answers and does not read them is not read any more', async () => {
  const deaf = new Wire(shimArgv({ home: home.paths.home }));
  deaf.send('{"jsonrpc":"2.0","id":1,"method":"ping"}');
  await deaf.answer(1);
  deaf.child.stdout.pause();
  const before = Number(
    /VmHWM:\s+([0-9]+)/.exec(readFileSync(`/proc/${deaf.child.pid}/status`, 'utf8'))?.[1],
  );
  const batch = `[${'{"id":1,"method":"ping"},'.repeat(1000)}0]\n`.repeat(100);
  let taken = 0;
  while (taken < 40 && deaf.child.stdin.write(batch)) taken += 1;
  await new Promise((resolve) => setTimeout(resolve, 1000));
  const after = Number(/VmHWM:\s+([0-9]+)/.exec(readFileSync(`/proc/${deaf.child.pid}/status`, 'utf8'))?.[1]);
  expect(after - before).toBeLessThan(ROOM_KB);
  expect(deaf.child.stdin.writableLength).toBeGreaterThan(0);
  deaf.child.stdin.on('error', (error) => expect(error.message).toContain('EPIPE'));
  deaf.child.kill('SIGTERM');
  await deaf.close();
});
