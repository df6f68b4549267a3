import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EntryInput } from '@subluminal/ledger';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readHome, type Ran, type ReadHome } from '../harness/in-process.js';
import { recordCall, recordedRun } from '../harness/recorded.js';

const ENDED = '01M8AAAAAAAAAAAAAAAAQQZC3M';
const LIVE = '01M8AAAAAAAAAAAAAAAAXY7K2P';
const TWIN = '01M8AAAAAAAAAAAAAAAABY7K2P';
const TS = Date.now() - 60_000;
const PATH = '/home/somebody/project/with/a/long/path/that/goes/on/and/on/and/does/not/end/soon/notes.md';

let at: ReadHome;
const sub = (...args: string[]): Promise<Ran> => at.sub(args);
const values = async (...args: string[]): Promise<Record<string, unknown>[]> =>
  (await sub(...args, '--json')).stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line): Record<string, unknown> => JSON.parse(line));
const append = (...entries: EntryInput[]) => at.ledger.append({ entries });

/** A run that has ended with an allowed call; one that goes on, with every kind of answer; and actions. */
beforeAll(async () => {
  at = await readHome();
  const call = (runId: string, callId: string, more: Partial<Parameters<typeof recordCall>[1]>) =>
    recordCall(at.ledger, { runId, callId, ts: TS, tool: ['files', 'write'], args: { path: PATH }, ...more });
  await append(recordedRun(ENDED, TS));
  await call(ENDED, 'call-ended-0001', { status: 'OK' });
  const summary = { calls_total: 1, calls_blocked: 0, errors_total: 0, duration_ms: 5 };
  await append({ type: 'run_end', ts: TS + 5, runId: ENDED, code: 'SUCCEEDED', data: { run: { summary } } });
  await append(recordedRun(LIVE, TS), recordedRun(TWIN, TS));
  await call(LIVE, 'call-fine-0001', { status: 'OK' });
  await call(LIVE, 'call-failed-0001', { status: 'ERROR' });
  await call(LIVE, 'call-blocked-0001', { action: 'BLOCK' });
  await call(LIVE, 'call-hinted-0001', { action: 'REJECT_WITH_HINT' });
  await call(LIVE, 'call-slowed-0001', { action: 'THROTTLE' });
  const req = { id: 'request-1', sig: 'mac' };
  const pending = await append({
    type: 'action_pending',
    ts: TS,
    runId: null,
    tool: 'service.api_call',
    data: { req, destination: 'https://api.example.com' },
    code: 'pending',
  });
  if (!pending.ok) throw new Error('the action was not recorded');
  const ref = pending.entries[0]?.seq ?? 0;
  await append({
    type: 'action_result',
    ts: TS + 9,
    runId: null,
    tool: 'service.api_call',
    code: 'error',
    ref,
    data: {},
  });
  await append({
    type: 'action_rejected',
    ts: TS,
    runId: null,
    tool: 'allow.add',
    code: 'rejected',
    data: { req: { id: 'request-2', sig: 'mac' }, error: { code: 'not_allowed', message: 'no' } },
  });
});
afterAll(() => at.remove());

describe('the part of an id that tables show', () => {
  it('names a run wherever a run is asked for', async () => {
    const [record] = await values('query', '--run', 'QQZC3M');
    expect(record).toMatchObject({ run_id: ENDED, call_id: 'call-ended-0001' });
    expect(await values('query', '--run', 'qqzc3m')).toHaveLength(1);
    const events = await values('tail', '--run', 'QQZC3M');
    expect(events.map(({ type }) => type)).toEqual([
      'run_start',
      'tool_call_start',
      'tool_call_decision',
      'tool_call_end',
      'run_end',
    ]);
    expect(await values('show', 'QQZC3M')).toEqual([
      { run: expect.objectContaining({ run_id: ENDED, status: 'SUCCEEDED', calls_total: 1 }) },
    ]);
    expect(await sub('hints', 'list', '--run', 'QQZC3M')).toMatchObject({
      code: 0,
      stdout: 'no hint was given\n',
    });
  });

  it.each([
    [['query', '--run', 'NOBODY']],
    [['tail', '--run', 'NOBODY']],
    [['hints', 'list', '--run', 'NOBODY']],
    [['export', 'run', 'NOBODY']],
    [['policy', 'explain', '--if', '{"server":"s","tool":"t"}', '--run', 'NOBODY']],
    [['policy', 'replay', 'ci-strict', '--run', 'NOBODY']],
  ])('%j says that there is no such run', async (args) => {
    expect(await sub(...args)).toEqual({
      code: 1,
      stdout: '',
      stderr: 'error[not_found]: there is no run `NOBODY`\nhelp: `sub runs` lists them\n',
    });
  });

  it('is refused with the ids that it fits where these are several, and where it is too short', async () => {
    expect(await sub('query', '--run', 'Y7K2P')).toEqual({
      code: 2,
      stdout: '',
      stderr: `error[usage]: \`Y7K2P\` is a part of 2 ids\nhelp: give more of the one that is meant: \`${TWIN}\`, \`${LIVE}\`\n`,
    });
    expect((await sub('query', '--run', 'C3M')).stderr).toContain('there is no run `C3M`');
  });

  it('names a call', async () => {
    expect(await values('show', 'call-ended')).toMatchObject([{ record: { call_id: 'call-ended-0001' } }]);
    expect((await sub('show', '-0001')).stderr).toContain('unknown option');
    expect((await sub('show', 'call-')).stderr).toContain('`call-` is a part of 6 ids');
    expect((await sub('policy', 'explain', 'call-blocked')).stdout).toMatch(/^what +files\.write\n/);
    expect((await sub('show', 'nobody')).stderr).toContain('there is no call, entry or run `nobody`');
  });
});

describe('sub query', () => {
  it.each([
    [
      ['--decision', 'BLOCK'],
      ['call-hinted-0001', 'call-blocked-0001'],
    ],
    [['--decision', 'block', '--limit', '1'], ['call-hinted-0001']],
    [['--decision', 'Hinted'], ['call-hinted-0001']],
    [['--decision', 'REJECT_WITH_HINT'], ['call-hinted-0001']],
    [['--decision', 'refused'], ['call-blocked-0001']],
    [['--decision', 'throttle'], ['call-slowed-0001']],
    [['--status', 'slowed'], ['call-slowed-0001']],
    [['--status', 'hinted'], ['call-hinted-0001']],
    [
      ['--status', 'ok'],
      ['call-fine-0001', 'call-ended-0001'],
    ],
  ])('%j finds calls by the words of a policy, of the record and of tables', async (flags, found) => {
    expect((await values('query', ...flags)).map((record) => record['call_id'])).toEqual(found);
  });

  it('means calls and actions by one status, however it is written', async () => {
    const lower = await values('query', '--status', 'error');
    expect(lower.map(({ kind }) => kind)).toContain('action');
    expect(lower.map((record) => record['call_id'])).toContain('call-failed-0001');
    expect(await values('query', '--status', 'ERROR')).toEqual(lower);
  });

  it('goes on below a block that gave a hint', async () => {
    const [first] = await values('query', '--decision', 'BLOCK', '--limit', '1');
    const rest = await values('query', '--decision', 'BLOCK', '--cursor', String(first?.['seq']));
    expect(rest.map((record) => record['call_id'])).toEqual(['call-blocked-0001']);
  });
});

it('`sub runs` counts what a run that goes on has come to so far', async () => {
  const live = (await values('runs')).find((run) => run['run_id'] === LIVE);
  expect(live).toMatchObject({
    status: 'RUNNING',
    calls_total: 5,
    calls_allowed: 2,
    calls_blocked: 2,
    calls_throttled: 1,
    errors_total: 1,
    duration_ms: null,
  });
  const row = (await sub('runs')).stdout.split('\n').find((line) => line.includes(LIVE));
  expect(row).toMatch(/running .* 5 +2 +1 +1 {2}\/home\/somebody\/.*notes\.md/);
  expect(live).toMatchObject({ last_object: PATH });
  for (const columns of [80, 120]) {
    const lines = (await at.sub(['runs'], columns)).stdout.split('\n');
    expect(lines[0]).toMatch(/CALLS {2}REFUSED {2}(?:.* {2})?LAST/);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(columns);
  }
});

it('the number of an action, as `query` lists it, is one that `show` and `why` take', async () => {
  const [, row = ''] = (await sub('query', '--action', 'allow.add')).stdout.split('\n');
  const [seq = ''] = row.trim().split(' ');
  expect((await sub('show', seq)).stdout).toMatch(/^what +allow\.add\n/);
  expect((await sub('why', seq)).stdout).toMatch(/^allow\.add: refused .*\nnot_allowed: no\n/);
});

it('`sub tail --json` tells actions as records, which have a kind and no type', async () => {
  const told = await values('tail', '--no-follow', '-n', '100');
  const actions = told.filter((one) => one['type'] === undefined);
  expect(actions).toMatchObject([
    { kind: 'action', action: 'service.api_call', status: 'error', request_id: 'request-1' },
    { kind: 'action', action: 'allow.add', status: 'rejected', reason_code: 'not_allowed' },
  ]);
  expect(told.filter(({ kind }) => kind === undefined).every(({ type }) => typeof type === 'string')).toBe(
    true,
  );
  expect(await values('tail', '--no-follow', '-n', '1')).toEqual(actions.slice(1));
});

describe('sub show', () => {
  it.each([80, 120])(
    'keeps to %i columns, and shows entries as they are recorded with --raw alone',
    async (columns) => {
      const shown = await at.sub(['show', 'call-blocked-0001'], columns);
      const { stdout } = shown;
      for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(columns);
      expect(stdout).toMatch(/^what +files\.write\n/);
      expect(stdout.replaceAll(/\n +\|? ?/g, '')).toContain(PATH);
      expect(stdout).not.toContain('"sig"');
      expect(stdout).not.toMatch(/^entry /m);
      expect(shown.stderr).toContain('`--raw` shows the entries as they are recorded');
      const raw = await at.sub(['show', 'call-blocked-0001', '--raw'], columns);
      for (const line of raw.stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(columns);
      expect(raw.stdout).toContain('"sig"');
      expect(raw.stdout.match(/^entry \d+ {2}tool_call_/gm)).toHaveLength(3);
    },
  );

  it('lets no line of a preview be a command of a CI system', async () => {
    await recordCall(at.ledger, {
      runId: TWIN,
      callId: 'call-ci-0001',
      ts: TS,
      tool: ['files', 'write'],
      args: {},
      preview: '{\n::error::forged\n##[error]forged\n}',
    });
    const { stdout } = await sub('show', 'call-ci-0001');
    expect(stdout).toContain('| ::error::forged');
    expect(stdout).toContain('| #\\x23[error]forged');
  });
});

describe('a starter policy', () => {
  it.each([
    [['policy', 'lint', 'ci-strict'], 0, /^ok: `ci-strict`/],
    [['policy', 'test', 'ci-strict'], 0, / cases?, 0 failed\n$/],
    [['policy', 'diff', 'observe-everything', 'ci-strict'], 0, /tightened/],
    [['policy', 'replay', 'ci-strict'], 0, /newly refused/],
    [['policy', 'explain', '--if', '{"server":"s","tool":"t"}', '--policy', 'ci-strict'], 0, /refused by/],
    [['policy', 'compile', 'ci-strict'], 0, /"policy_id":"ci-strict"/],
  ])('%j takes its name', async (args, code, text) => {
    expect(await sub(...args)).toMatchObject({ code, stdout: expect.stringMatching(text) });
  });

  it('that does not exist is told of with a way to the list', async () => {
    expect((await sub('policy', 'replay', 'ci-strct')).stderr).toBe(
      'error[policy_missing]: `ci-strct` cannot be read: no such file or folder\nhelp: give the path of a policy file; `sub policy init` lists the starter policies and writes one\n',
    );
  });

  it('leaves its cases behind where another policy takes its place, which `policy test` says', async () => {
    const path = join(at.home, 'mine.yaml');
    await sub('policy', 'init', 'developer-laptop', path);
    expect((await sub('policy', 'test', path)).code).toBe(0);
    writeFileSync(
      path,
      'policy_id: mine\nversion: "1"\nmode: guardrails\ndefaults: { decision_on_error: BLOCK, no_match: BLOCK }\nselectors: {}\nrules: []\n',
    );
    const changed = await sub('policy', 'test', path);
    expect(changed.code).toBe(1);
    expect(changed.stderr).toBe(
      `the cases in \`${join(at.home, 'mine.test.yaml')}\` are still those of the starter policy \`developer-laptop\`: change them with the policy, or remove the file\n`,
    );
  });
});
