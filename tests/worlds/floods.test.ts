import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { textAt } from '@subluminal/core-types';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { Stage, USERS, whyNoWorlds } from './kit/stage.js';

vi.setConfig({ hookTimeout: 240_000, testTimeout: 240_000 });

const why = whyNoWorlds();
const absent = why === undefined ? '' : ` (not here: ${why})`;
const ROGUE = fileURLToPath(new URL('kit/rogue-run.mjs', import.meta.url));
const TOTAL = 100_000;
const HEAD =
  'policy_id: t\nversion: "1"\nmode: observe\ndefaults: { decision_on_error: BLOCK }\nselectors: {}\nrules: []\n';

/** Asks for more than the budget on one connection, without waiting for an answer. */
const PIPELINED = `import socket
s = socket.create_connection(("one.test", PORT), 5)
s.sendall(b"GET /9000 HTTP/1.1\\r\\nHost: one.test\\r\\n\\r\\n" * 40)
s.settimeout(5)
got = 0
try:
  while True:
    more = s.recv(65536)
    if not more: break
    got += len(more)
except OSError: pass
print(got)
`;
/** Asks for many names as fast as it can, each another one, and then for one that is known. */
const NAMES = `import socket, struct
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.setblocking(False)
for at in range(4000):
  name = b"".join(bytes([len(part)]) + part for part in (b"n%d" % at, b"evil", b"test")) + b"\\0"
  try: s.sendto(struct.pack("!6H", at, 256, 1, 0, 0, 0) + name + b"\\0\\1\\0\\1", ("10.99.0.2", 53))
  except OSError: pass
`;

describe.skipIf(why !== undefined).each(USERS)(`worlds that are started by %s${absent}`, (_, uid) => {
  let stage: Stage;
  let server: Server;
  let port: number;
  let received = 0;

  beforeAll(async () => {
    server = createServer((request, response) => {
      request.on('data', (chunk: Buffer) => (received += chunk.length));
      const size = Number(request.url?.slice(1));
      if (request.method === 'GET') response.end('x'.repeat(size));
      else request.on('end', () => response.end('taken'));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    ({ port } = server.address() as AddressInfo);
    stage = new Stage(uid);
    for (const [name, text] of [
      ['pipelined.py', PIPELINED.replace('PORT', String(port))],
      ['names.py', NAMES],
    ] as const) {
      writeFileSync(join(stage.project, name), text);
      stage.give(name);
    }
    await stage.start(
      { 'one.test': [{ port }] },
      `${HEAD}world: { egress_budget: { total_bytes: ${TOTAL} } }\n`,
    );
  });
  afterAll(async () => {
    await stage.sub('world', 'close', '--all');
    await stage.remove();
    server.close();
  });

  const sum = (text: string): number => text.split('\n').reduce((all, line) => all + Number(line), 0);
  const url = (path: number | string): string => `http://one.test:${port}/${path}`;

  it('get no more than their budget by many connections at once', async () => {
    const script = `seq 40 | xargs -P40 -I{} sh -c 'curl -sm9 ${url(15_000)} | wc -c'`;
    const got = sum((await stage.inWorld(script)).stdout);
    expect(got).toBeGreaterThan(15_000);
    expect(got).toBeLessThanOrEqual(TOTAL);
  });

  it('send no more than their budget, whatever asks for it', async () => {
    received = 0;
    const script = `for i in 1 2 3; do head -c 300000 /dev/zero | curl -sm5 -T - ${url('up')}; done; echo "rc $?"`;
    const { stdout } = await stage.inWorld(script);
    expect(stdout).not.toContain('taken');
    expect(received).toBeGreaterThan(0);
    expect(received).toBeLessThanOrEqual(TOTAL);
  });

  it('get no more than their budget by requests that wait for no answer', async () => {
    const got = sum((await stage.inWorld('python3 pipelined.py')).stdout);
    expect(got).toBeGreaterThan(0);
    expect(got).toBeLessThanOrEqual(TOTAL);
  });

  it('share the pace of one world among all of its connections', async () => {
    await stage.decideBy(`${HEAD}world: { egress_budget: { bytes_per_sec: 300000 } }\n`);
    const script = `date +%s%N; seq 4 | xargs -P4 -I{} curl -so /dev/null ${url(300_000)}; date +%s%N`;
    const [from, to] = (await stage.inWorld(script)).stdout.trim().split('\n').map(Number);
    // One second's worth goes at once, and the last 64 KiB of a connection; the other 600,000 bytes wait.
    expect(((to ?? 0) - (from ?? 0)) / 1e9).toBeGreaterThan(1.5);
    await stage.decideBy(`${HEAD}world: { egress_budget: { total_bytes: ${TOTAL} } }\n`);
  });

  it('have spent what they have spent under other rules, too', async () => {
    const get = (path: number): ReturnType<Stage['sub']> =>
      stage.sub('world', 'exec', '--', '/bin/sh', '-c', `curl -sm9 ${url(path)} | wc -c`);
    expect((await get(80_000)).stdout).toBe('80000\n');
    await stage.decideBy(`${HEAD}world: { egress_budget: { total_bytes: ${TOTAL + 1} } }\n`);
    expect(Number((await get(80_000)).stdout)).toBeLessThan(20_000);
    await stage.decideBy(`${HEAD}world: { egress_budget: { total_bytes: 1 } }\n`);
    expect((await get(10)).stdout).toBe('0\n');
    const codes = stage.rows().map(({ data }) => textAt(data, 'error', 'code'));
    expect(codes).toContain('budget_spent');
  });

  it('are bounded by no budget any more under a policy that has none', async () => {
    await stage.decideBy(HEAD);
    expect((await stage.inWorld(`curl -sm9 ${url(7)}`)).stdout).toBe('xxxxxxx');
  });

  it('keep nobody from the gateway by questions about names, and fill no record with them', async () => {
    const before = stage.rows().length;
    const flood = stage.inWorld('for i in 1 2 3; do python3 names.py; sleep 0.5; done; sleep 1');
    expect((await stage.sub('status', '--json')).code).toBe(0);
    expect((await stage.inWorld(`curl -sm9 ${url(7)}`)).stdout).toBe('xxxxxxx');
    expect((await flood).code).toBe(0);
    expect(stage.rows().length - before).toBeLessThan(900);
  });

  it('tell names of programs as text, and never as orders for a terminal', async () => {
    const script = `p=$(printf '/tmp/\\033[2J\\nforged'); cp /bin/true "$p"; "$p"; exit 0`;
    const { stderr } = await stage.sub('world', 'exec', '--json', '--', '/bin/sh', '-c', script);
    const { span_id: span } = JSON.parse(stderr.trim().split('\n').at(-1) ?? '') as { span_id: string };
    await vi.waitFor(
      async () => {
        const { stdout } = await stage.sub('show', span);
        expect(stdout).toContain('forged');
        expect(stdout).not.toContain('\u001b');
        expect(stdout).not.toMatch(/^forged/m);
      },
      { timeout: 60_000, interval: 500 },
    );
  });

  describe('and a program of another run speaks of them', () => {
    let said: Record<string, unknown>;
    let world: string;

    beforeAll(async () => {
      const { stderr } = await stage.sub('world', 'exec', '--json', '--', 'true');
      world = textAt(JSON.parse(stderr.trim().split('\n').at(-1) ?? ''), 'world_id');
      const { stdout, stderr: problem } = await stage.sub(
        'run',
        '--',
        process.execPath,
        ROGUE,
        stage.home,
        world,
      );
      if (stdout === '') throw new Error(problem);
      said = JSON.parse(stdout) as Record<string, unknown>;
    });

    it('neither ends them nor lies about them', async () => {
      expect(said).toMatchObject({
        'the end of a world of another run': 'not_found',
        'the end of a world that is not there': 'not_found',
        'its own world again': 'not_found',
        'a name in a world': 'not_permitted',
      });
      const { stdout } = await stage.sub('world', 'exec', '--', '/bin/sh', '-c', `curl -sm9 ${url(3)}`);
      expect(stdout).toBe('xxx');
      await stage.sub('world', 'close', '--all');
      const ends = stage
        .rows()
        .filter(({ type, data }) => type === 'world_end' && data['world_id'] === world);
      expect(ends).toHaveLength(1);
      expect(JSON.stringify(ends)).not.toContain('lie');
    });

    it('opens so many of its own, and says of them what has a form', () => {
      expect(said).toMatchObject({
        worlds: [32, 'overloaded'],
        'too many programs': 'invalid_request',
        'a program that was started less than once': 'invalid_request',
        'a name that is too long': 'invalid_request',
        'another member': 'invalid_request',
        'its own world': 'success',
        'a world with a reason of many lines': 'invalid_request',
      });
      const made = stage.rows().find(({ data }) => JSON.stringify(data['made'] ?? '').includes('forged'));
      expect(JSON.stringify(made)).not.toContain('AKIAIOSFODNN7EXAMPLE');
    });
  });
});
