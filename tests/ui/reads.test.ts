import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { type JsonObject, listAt, textAt } from '@subluminal/core-types';
import type { Histogram, RawPage, RecordDetail, RecordsPage, RunTimeline } from '@subluminal/ui/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectGateway, type GatewayClient, homePaths, readCredential } from '@subluminal/ipc';
import { openLedgerReader } from '@subluminal/ledger';
import { bundle, deny } from '../gateway/policy-bundle.js';
import { askingRun, type AskingRun } from '../harness/asking.js';
import { createHome, type TestHome } from '../harness/home.js';
import { toolCall, toolEnd } from '../gateway/harness.js';
import { runSub } from '../harness/resident.js';
import { eventually } from '../harness/processes.js';
import { type Page, page } from './kit/page.js';

const POLICY = bundle([deny('no-rm', { command: { argv: ['rm *'] } }, { hint_text: 'move it instead' })], {
  mode: 'control',
});
const HOSTILE = '<img src=x onerror=alert(1)>\u202Egnp.exe\u0000"\'`${x}';

let home: TestHome;
let operator: GatewayClient;
let ours: Page;
let run: AskingRun;

beforeAll(async () => {
  home = createHome({ policy: POLICY });
  await home.startWatched();
  const paths = homePaths(home.home);
  operator = await connectGateway({
    socketPath: paths.socket,
    credential: readCredential(paths.operatorKey),
    clock: Date.now,
  });
  run = await askingRun(home.home);
  ours = await page(operator);
  await run.decided('rm one');
  const call = toolCall({ server_name: 'fs', tool_name: 'read_file', args: { path: HOSTILE } });
  await run.client.request('tool.call.begin', call);
  await run.client.request('tool.call.end', toolEnd(call.call_id));
});
afterAll(async () => {
  await run.end();
  operator.close();
  await home.remove();
});

async function read<T>(path: string): Promise<T> {
  const { status, text } = await ours.get(path);
  if (status !== 200) throw new Error(`${path}: ${status} ${text}`);
  return JSON.parse(text) as T;
}

const records = (filter: string, more = ''): Promise<RecordsPage> =>
  read(`/ui/api/records?f=${encodeURIComponent(filter)}${more}`);

const sub = (...args: string[]) => runSub(args, { env: { PATH: process.env['PATH'], SUB_HOME: home.home } });

describe('records', () => {
  it.each([
    'kind:call',
    'decision:hinted',
    'is:refused kind:call',
    'server:fs',
    'tool:read_*',
    '-server:fs kind:call',
    'command:rm*',
    'rule:no-rm',
    'text:onerror',
    'agent:a kind:call',
    'agent:b',
    'status:ok kind:call',
    'server:fs,shell',
    'since:1h kind:call',
    '"rm one"',
    'took:>2ms kind:call',
    'size:<12b,>1m',
    '-size:>11b kind:call',
  ])('`%s` finds the same as `sub query`', async (filter) => {
    const { rows } = await records(filter);
    const { stdout } = await sub('query', '--json', '--', filter);
    const found = stdout.split('\n').filter((line) => line !== '');
    const numbers = found.map((line) => Number(textAt(JSON.parse(line) as JsonObject, 'seq')));
    expect(rows.map(({ seq }) => seq)).toEqual(numbers);
  });

  it('a filter that cannot be read says so here and there', async () => {
    expect(await ours.get('/ui/api/records?f=foo:bar')).toMatchObject({ status: 400, code: 'usage' });
    expect(await sub('query', 'foo:bar')).toMatchObject({ code: 2 });
  });

  it.each([
    ['took:>2ms size:>11b', 1],
    ['took:<3ms', 0],
    ['took:>3ms', 0],
    ['size:<12b', 0],
    ['size:<1k,>1m', 1],
  ])('of which a call took 3 ms for 12 bytes: `%s` fits %i, and none without', async (filter, count) => {
    expect((await records(`kind:call ${filter}`)).rows).toHaveLength(count);
  });

  it.each([
    ['took:2s', '`took:` takes a bound with its unit, such as `>2s`, `<500ms`'],
    ['size:>1', '`size:` takes a bound with its unit, such as `>1m`, `<4k`'],
  ])('`%s` is told with an example', async (filter, message) => {
    const answer = await ours.get(`/ui/api/records?f=${encodeURIComponent(filter)}`);
    expect(answer).toMatchObject({ status: 400, json: { error: { message: `${message} (at sign 1)` } } });
    const told = await sub('query', filter);
    expect([told.code, told.stderr.includes(message)]).toEqual([2, true]);
  });

  it('are paged in both directions, each once', async () => {
    const all = (await records('')).rows.map(({ seq }) => seq);
    const down: number[] = [];
    for (let next: number | null = null, first = true; first || next !== null; first = false) {
      const got: RecordsPage = await records('', next === null ? '&limit=2' : `&limit=2&before=${next}`);
      down.push(...got.rows.map(({ seq }) => seq));
      next = got.next;
    }
    expect(down).toEqual(all);
    const up: number[] = [];
    for (let next: number | null = 0; next !== null;) {
      const got: RecordsPage = await records('', `&limit=2&after=${next}`);
      up.push(...got.rows.map(({ seq }) => seq));
      next = got.next;
    }
    expect(up.toReversed()).toEqual(all);
  });

  it('one is shown with its trace, its hint and its arguments, which stay data', async () => {
    const [refused] = (await records('decision:hinted')).rows;
    const detail = await read<RecordDetail>(`/ui/api/record/${refused?.seq}`);
    expect(detail).toMatchObject({
      row: { refused: true, rule: 'no-rm', object: 'rm one' },
      hint: { hint: { hint_text: 'move it instead' } },
      trace: { ruling: { decision: { rule_id: 'no-rm' } } },
    });
    const [hostile] = (await records('server:fs')).rows;
    const answer = await ours.get(`/ui/api/record/${hostile?.seq}`);
    expect(answer.headers).toMatchObject({
      'content-type': 'application/json',
      'x-content-type-options': 'nosniff',
    });
    expect(answer.text).toContain('onerror');
    expect(await ours.get('/ui/api/record/1')).toMatchObject({ status: 404, code: 'not_found' });
    expect(await ours.get('/ui/api/record/999999')).toMatchObject({ status: 404 });
  });

  it('are counted by time', async () => {
    const all = await read<Histogram>('/ui/api/histogram?from=0&to=8000000000000&buckets=1');
    expect(all.partial).toBe(false);
    expect(all.all[0]).toBe((await records('')).rows.length);
    expect(all.hinted).toEqual([1]);
  });
});

it('runs are listed, and one is told on an axis of time', async () => {
  const { runs } = await read<{ runs: JsonObject[] }>('/ui/api/runs');
  expect(runs[0]).toMatchObject({ run: run.id, state: 'live', calls: 2, refused: 1 });
  const { runs: named } = await read<{ runs: JsonObject[] }>('/ui/api/agents');
  const [first] = runs;
  expect(named[0]).toEqual({
    run: run.id,
    agent: first?.['agent'],
    client: first?.['client'],
    folder: first?.['folder'],
  });
  const told = await read<RunTimeline>(`/ui/api/run/${run.id}`);
  expect(
    told.items
      .filter(({ kind }) => kind === 'call')
      .map(({ label, lane, refused }) => [lane, label, refused]),
  ).toEqual([
    ['shell', 'run rm one', true],
    ['fs', expect.stringContaining('read_file'), false],
  ]);
  const hint = told.items.find(({ label }) => label.startsWith('hint issued'));
  expect(hint?.lane).toBe('policy');
  expect(await ours.get('/ui/api/run/none')).toMatchObject({ status: 404 });
});

it('the policy is shown with how often each rule decided, and two are compared', async () => {
  const policy = await read<JsonObject>('/ui/api/policy');
  const [part] = listAt(policy, 'parts');
  expect(part).toMatchObject({ of: 'home', from: join(home.home, 'policy.yaml') });
  expect(listAt(part ?? {}, 'rules')).toMatchObject([{ id: 'no-rm', hits: 1, how: 'refused 1' }]);
  const [version] = listAt(part ?? {}, 'versions');
  const hash = textAt(version ?? {}, 'hash');
  expect(version).toMatchObject({
    hash: textAt(policy, 'policy', 'policy_hash'),
    by: 'policy.yaml',
  });
  expect(await read(`/ui/api/compare?old=${hash}&new=${hash}`)).toMatchObject({
    old: { hash },
    diff: { loosened: false, changes: [] },
  });
  expect(await ours.get(`/ui/api/compare?old=${hash}&new=none`)).toMatchObject({ status: 404 });
});

it('entries come as they are hashed, so that a page can check them', async () => {
  const raw = await read<RawPage>('/ui/api/raw?from=2&to=5');
  let { prev } = raw;
  for (const { body, leaf, seq } of raw.entries) {
    const text = `\0subl/entry/v1\n${raw.ledger}\n${seq}\n${prev}\n${body}`;
    expect(createHash('sha256').update(text).digest('hex')).toBe(leaf);
    prev = leaf;
  }
  expect(raw.entries.map(({ seq }) => seq)).toEqual([2, 3, 4, 5]);
  const first = await read<JsonObject>('/ui/api/head');
  await run.decided('ls');
  const second = await read<JsonObject>(`/ui/api/head?older=${encodeURIComponent(textAt(first, 'note'))}`);
  expect(textAt(second, 'growth')).toContain(`old ${textAt(first, 'size')}`);
  expect(await read('/ui/api/proof/3')).toMatchObject({
    seq: 3,
    proof: expect.stringContaining('tlog-proof'),
  });
});

it('the health of the record and of its guards is told', async () => {
  expect(await read('/ui/api/health')).toMatchObject({
    ledger: { ledger_id: expect.any(String) },
    guards: expect.arrayContaining([
      {
        name: 'proxy',
        says: expect.stringMatching(
          /^connections that pass it are recorded, and none is refused \(`observe`\)/,
        ),
      },
      { name: 'hooks', says: 'no client was heard by its hooks since the gateway was started' },
    ]),
    around: [expect.stringContaining('Egress is in the mode observe'), '0 worlds open now.'],
    sealed: 0,
    heads_log: expect.stringMatching(/heads\.log$/),
    missing: [],
  });
});

it('a number or a text that is none is refused, and there is nothing beside the routes', async () => {
  for (const path of [
    '/ui/api/records?limit=501',
    '/ui/api/records?before=-1',
    '/ui/api/records?after=1e3',
    '/ui/api/record/x',
    '/ui/api/histogram?buckets=0',
    `/ui/api/records?f=${'x'.repeat(5000)}`,
  ])
    expect([path, (await ours.get(path)).status]).toEqual([path, 400]);
  for (const path of [
    '/ui/api/',
    '/ui/api/none',
    '/ui/api/record/1/2',
    '/ui/../keys/operator',
    '/ui/%2e%2e/x',
  ])
    expect([path, (await ours.get(path)).status]).toEqual([path, 404]);
});

it('a page that only looks leaves nothing in the record but its session', async () => {
  const looker = await page(operator);
  const before = await read<{ head: number }>('/ui/api/state');
  for (const path of ['state', 'records', 'runs', 'inbox', 'hints', 'policy', 'health', 'head'])
    expect((await looker.get(`/ui/api/${path}`)).status).toBe(200);
  const reader = openLedgerReader(home.ledger);
  const { rows } = reader.tailFrom(before.head + 1, 1000);
  reader.close();
  // Requests of the tests above that were refused are counted within a second.
  expect(rows.filter(({ type }) => type !== 'peers_refused')).toEqual([]);
});

it('the files of the ledger are let go of', async () => {
  const open = async (): Promise<number> => {
    const { readdirSync, readlinkSync } = await import('node:fs');
    const status = (await operator.request('gateway.status', {})).data as { pid: number };
    return readdirSync(`/proc/${status.pid}/fd`).filter((fd) => {
      try {
        return readlinkSync(`/proc/${status.pid}/fd/${fd}`).endsWith('/ledger.db');
      } catch {
        return false;
      }
    }).length;
  };
  const idle = await open();
  await records('');
  await eventually('the reader lets go', async () => (await open()) <= idle);
  expect(await open()).toBeLessThanOrEqual(idle);
});
