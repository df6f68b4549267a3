import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { SublEvent } from '@subluminal/core-types';
import { connectGateway, homePaths, processIdentity, readTicket } from '@subluminal/ipc';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHome, type TestHome } from '../harness/home.js';
import { eventually } from '../harness/processes.js';
import { openRawSession } from '../harness/raw-session.js';
import { runSub } from '../harness/resident.js';
import { finished, shimCommand, SUB } from '../harness/sub.js';

const echo = fileURLToPath(new URL('../fixtures/echo-server.mjs', import.meta.url));
const HOSTILE = 'x\u001b[2J\u202e\rfake';

const POLICY = `
policy_id: record
version: "1"
mode: guardrails
defaults: { decision_on_error: BLOCK }
selectors: {}
rules:
  - rule_id: no-large
    kind: deny
    enabled: true
    severity: warn
    match: { tool_name: { glob: [large] } }
    effect: { action: BLOCK, reason_code: DENYLIST_MATCH, message: "large answers are not wanted" }
`;

let home: TestHome;
let endedRun: string;
let tail: string[];
let tailChild: ReturnType<typeof spawn>;

/**
 * One session with an allowed call and a refused one. Then a call whose tool has a name that would clear a
 * screen: no shim forwards such a name, but an agent holds the key of its run and can ask without a shim.
 */
beforeAll(async () => {
  home = createHome({ policy: POLICY });
  expect(await runSub(['up', '--home', home.home])).toMatchObject({ code: 0 });
  // Before the session: its shim makes this process a run, and `sub run` inside a run opens none.
  const run = await runSub(['run', '--home', home.home, '--', process.execPath, '-e', '']);
  endedRun = /run (\S+)/.exec(run.stderr)?.[1] ?? '';
  tail = [];
  const child = spawn(process.execPath, [SUB, 'tail', '--home', home.home, '--lines', '20'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  tailChild = child;
  createInterface({ input: child.stdout }).on('line', (line) => tail.push(line));
  const session = await openRawSession(shimCommand(home.home, 'files', [process.execPath, echo]));
  expect(await session.request('tools/call', { name: 'echo', arguments: { n: 1 } })).toHaveProperty('result');
  expect(await session.request('tools/call', { name: 'large', arguments: { bytes: 5 } })).toHaveProperty(
    'error',
  );
  await callWithoutShim(HOSTILE);
  expect(await session.close()).toBe(0);
  await eventually('the tail has seen all', () => tail.some((line) => line.includes('fake')));
});
afterAll(async () => {
  tailChild.kill();
  await home.remove();
});

const sub = (...args: string[]) => runSub([...args, '--home', home.home]);

/** A call of `tool` in the run of this process, as an agent makes it that speaks to the gateway itself. */
async function callWithoutShim(tool: string): Promise<void> {
  const call_id = 'by-the-agent-itself-00000001';
  const begin = {
    call_id,
    shim_id: 'none',
    server_name: 'files',
    tool_name: tool,
    transport: 'mcp_stdio',
    bytes_in: 2,
    args: {},
  };
  const end = { call_id, status: 'OK', latency_ms: 1, bytes_out: 0, preview: { truncated: false } };
  const paths = homePaths(home.home);
  const self = processIdentity(process.pid);
  const ticket = self === undefined ? undefined : readTicket(paths, self);
  if (ticket === undefined) throw new Error('this process holds no run');
  const { socket: socketPath, gatewayFile } = paths;
  const { credential } = ticket;
  const client = await connectGateway({ socketPath, gatewayFile, credential, clock: Date.now });
  expect(await client.request('tool.call.begin', begin)).toMatchObject({ status: 'success' });
  expect(await client.request('tool.call.end', end)).toMatchObject({ status: 'success' });
  client.close();
}

/** The lines of `--json` output, parsed. */
async function json(...args: string[]): Promise<Record<string, unknown>[]> {
  const { code, stdout } = await sub(...args, '--json');
  expect(code).toBe(0);
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

describe('sub query', () => {
  it('gives each call as one record under stable names', async () => {
    const [record] = await json('query', '--tool', 'large', '--server', 'files');
    expect(record).toEqual({
      kind: 'call',
      seq: expect.any(Number),
      audit_ref: expect.stringMatching(/^\d+\.[0-9a-f]{64}$/),
      ts: expect.stringMatching(/^\d{4}-.*Z$/),
      run_id: expect.any(String),
      call_id: expect.any(String),
      server_name: 'files',
      tool_name: 'large',
      args_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      decision: 'BLOCK',
      rule_id: 'no-large',
      rule_of: 'home',
      reason_code: 'DENYLIST_MATCH',
      object: null,
      summary: 'large answers are not wanted',
      status: 'ERROR',
      latency_ms: 0,
      bytes_in: expect.any(Number),
      bytes_out: 0,
      entries: [expect.any(Number), expect.any(Number), expect.any(Number)],
    });
  });

  it.each([
    [['--decision', 'BLOCK'], ['large']],
    [['--refused'], ['large']],
    [['--refused', '--decision', 'ALLOW'], []],
    [
      ['--decision', 'ALLOW'],
      [HOSTILE, 'echo'],
    ],
    [
      ['--status', 'OK'],
      [HOSTILE, 'echo'],
    ],
    [
      ['--server', 'files'],
      [HOSTILE, 'large', 'echo'],
    ],
    [['--server', 'other'], []],
    [['--since', '1h', '--tool', 'echo'], ['echo']],
    [['--until', '2020-01-01'], []],
    [['--server', 'files', '--limit', '1'], [HOSTILE]],
  ])('%j finds the newest first', async (flags, tools) => {
    expect((await json('query', ...flags)).map((record) => record['tool_name'])).toEqual(tools);
  });

  it('goes on where a page ended', async () => {
    const first = await sub('query', '--server', 'files', '--limit', '1');
    const cursor = /--cursor (\d+)/.exec(first.stderr)?.[1] ?? '';
    const rest = await json('query', '--server', 'files', '--cursor', cursor);
    expect(rest.map((record) => record['tool_name'])).toEqual(['large', 'echo']);
  });

  it('finds by run and by request', async () => {
    const [record] = await json('query', '--tool', 'echo', '--server', 'files');
    const ofRun = await json('query', '--run', String(record?.['run_id']));
    expect(ofRun).toHaveLength(3);
    const { entries } = (await json('show', String(record?.['seq'])))[0] as {
      entries: { request_id: string | null }[];
    };
    const id = entries.map((entry) => entry.request_id).find((request) => request !== null) ?? '';
    expect((await json('query', '--request', id)).map((found) => found['seq'])).toEqual([record?.['seq']]);
    const same = String(record?.['args_hash']);
    const found = await json('query', '--args-hash', same);
    expect(found.map((one) => one['seq'])).toContain(record?.['seq']);
    expect(new Set(found.map((one) => one['args_hash']))).toEqual(new Set([same]));
    expect(await json('query', '--args-hash', 'a'.repeat(64))).toEqual([]);
  });
});

describe('what comes from agents', () => {
  it.each([['query'], ['tail', '--no-follow'], ['show']])(
    '`sub %s` shows it with control characters escaped',
    async (...args) => {
      const [record] = await json('query', '--server', 'files', '--limit', '1');
      const { stdout } = await sub(...args, ...(args[0] === 'show' ? [String(record?.['seq'])] : []));
      expect(stdout).toContain('x\\x1b[2J\\u202e\\rfake');
      expect(stdout).not.toContain('\u001b');
      expect(stdout).not.toContain('\u202e');
    },
  );

  it('keeps its exact value in JSON, without raw control or format characters', async () => {
    const { stdout } = await sub('query', '--server', 'files', '--limit', '1', '--json');
    expect(stdout).not.toContain('\u001b');
    expect(stdout).not.toContain('\u202e');
    expect(JSON.parse(stdout)).toMatchObject({ tool_name: HOSTILE });
  });
});

describe('sub tail', () => {
  it('has told of each call in one line as it came', () => {
    const calls = tail.filter((line) => line.includes('files.'));
    expect(calls).toEqual([
      expect.stringMatching(/^\d\d:\d\d:\d\d +\d+ {2}\S+ {2}ok +files\.echo /),
      expect.stringMatching(/ refused +files\.large .*rule no-large: large answers are not wanted$/),
      expect.stringMatching(/ ok +files\.x\\x1b\[2J/),
    ]);
  });

  it('with --json gives events of Contract A', async () => {
    const events = await json('tail', '--no-follow', '--lines', '200');
    expect(events.length).toBeGreaterThanOrEqual(10);
    for (const event of events) expect(SublEvent.parse(event)).toBeDefined();
    const types = events.map((event) => event['type']);
    expect(types[0]).toBe('run_start');
    expect(types.filter((type) => type === 'tool_call_decision')).toHaveLength(3);
  });

  it('of one run that has ended ends by itself', async () => {
    const events = await json('tail', '--run', endedRun);
    expect(events.map((event) => event['type'])).toEqual(['run_start', 'run_end']);
  });

  it('stops quietly when nobody reads any more', async () => {
    const command = `"${process.execPath}" "${SUB}" tail --home "${home.home}" --lines 1 | head -n 1`;
    const child = spawn('sh', ['-c', command], { stdio: ['ignore', 'pipe', 'pipe'] });
    // Something to print, after `head` has gone.
    const nudge = setInterval(() => void sub('call', 'email.send', '--payload', '{}'), 500);
    const { code, stdout, stderr } = await finished(child, 20_000);
    clearInterval(nudge);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.trim().split('\n')).toHaveLength(1);
  });
});

describe('sub show', () => {
  it('finds a call by its id, its number and its audit reference', async () => {
    const [record] = await json('query', '--tool', 'large', '--server', 'files');
    for (const key of ['call_id', 'seq', 'audit_ref']) {
      const [shown] = await json('show', String(record?.[key]));
      expect(shown).toMatchObject({ record: { call_id: record?.['call_id'], rule_id: 'no-large' } });
    }
  });

  it('refuses an audit reference that the ledger contradicts', async () => {
    const { code, stderr } = await sub('show', `1.${'0'.repeat(64)}`);
    expect(code).toBe(4);
    expect(stderr).toContain('error[ledger_corrupt]');
  });

  it('takes an id that begins with a dash for an id, and a flag that does not exist for a mistake', async () => {
    expect((await sub('show', '-abcdefghijklmnopqrst')).stderr).toContain('error[not_found]');
    expect(await sub('show', '--nonsense')).toMatchObject({ code: 2 });
  });

  it('says so when there is nothing', async () => {
    const { code, stderr } = await sub('show', 'no-such-call');
    expect(code).toBe(1);
    expect(stderr).toContain('error[not_found]: there is no call, entry or run `no-such-call`');
  });
});
