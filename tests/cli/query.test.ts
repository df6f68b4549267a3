import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { objectAt, textAt, type JsonObject } from '@subluminal/core-types';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readHome, type Ran, type ReadHome } from '../harness/in-process.js';
import { recordCall, recordedRun, type RecordedCall } from '../harness/recorded.js';

const SHOP = '4siAAAAAAAAAAAAAAAAQQZC3M';
const OTHER = '01M8AAAAAAAAAAAAAAAAXY7K2P';
const HOUR = 3_600_000;
const NOW = Date.now();

let at: ReadHome;
const sub = (...args: string[]): Promise<Ran> => at.sub(args);
const found = async (...args: string[]): Promise<unknown[]> =>
  (await sub('query', ...args, '--json')).stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => (JSON.parse(line) as Record<string, unknown>)['call_id']);

beforeAll(async () => {
  at = await readHome();
  const shop = join(at.home, 'shop');
  mkdirSync(join(shop, '.git'), { recursive: true });
  mkdirSync(join(shop, 'src'));
  const run = (runId: string, folder: string) => {
    const start = recordedRun(runId, NOW - 50 * HOUR);
    return { ...start, data: { ...start.data, workload: { repo_path: folder } } };
  };
  await at.ledger.append({ entries: [run(SHOP, join(shop, 'src')), run(OTHER, '/elsewhere')] });
  const call = (callId: string, more: Partial<RecordedCall> & Pick<RecordedCall, 'tool' | 'args'>) =>
    recordCall(at.ledger, { runId: SHOP, callId, ts: NOW - HOUR, ...more });
  await call('old-read', { tool: ['files', 'read_file'], args: { path: 'main.ts' }, ts: NOW - 49 * HOUR });
  await call('write-env', { tool: ['files', 'write_file'], args: { path: '../.env', content: 'A="b"' } });
  await call('push', {
    tool: ['claude:builtin', 'Bash'],
    args: { command: 'cd .. && git push --force origin main' },
    status: 'OK',
  });
  await call('fetch', { tool: ['web', 'fetch'], args: { url: 'https://Api.Example.com:8443/v1' } });
  await call('cut', { tool: ['files', 'write_file'], args: { path: 'x' }, preview: null });
  await call('elsewhere', { tool: ['files', 'read_file'], args: { path: '/etc/hosts' }, runId: OTHER });
});
afterAll(() => at.remove());

describe('a filter of sub query', () => {
  it.each<[string, string[]]>([
    ['path:**/.env', ['write-env']],
    ['command:"git push*"', ['push']],
    ['host:api.example.com', ['fetch']],
    ['server:files -tool:read_*', ['cut', 'write-env']],
    ['tool:read_file,fetch since:1d', ['elsewhere', 'fetch']],
    ['text:"a=\\"B\\""', ['write-env']],
    ['force', ['push']],
    [`run:${SHOP.slice(-6)} tool:read_file`, ['old-read']],
    ['since:3d since:2h tool:read_file', ['elsewhere']],
    ['since:2h since:3d tool:read_file', ['elsewhere']],
    ['status:ok', ['push']],
    ['kind:net', []],
  ])('%s finds %j', async (filter, calls) => {
    expect(new Set(await found(filter))).toEqual(new Set(calls));
  });

  it('holds beside the flags', async () => {
    expect(await found('server:files', '--tool', 'write_file', '--path', '**/.env')).toEqual(['write-env']);
    expect(await found('since:3d', '--since', '2h', '--tool', 'read_file')).toEqual(['elsewhere']);
    expect(await found('since:2h', '--since', '3d', '--tool', 'read_file')).toEqual(['elsewhere']);
  });

  it.each([
    ['tol:x', /there is no `tol:`/, 'it was read up to ``'],
    ['server:files since:soon', /`since:` takes one moment/, 'it was read up to `server:files `'],
    ['"open', /the quotes are not closed/, 'single quotes'],
  ])('%s is refused, with the place of the mistake', async (filter, message, place) => {
    const { code, stderr } = await sub('query', filter);
    expect(code).toBe(2);
    expect(stderr).toMatch(message);
    expect(stderr).toContain(place);
  });
});

describe('sub query', () => {
  it.each<[string[], string[]]>([
    [['--path', '**/.env'], ['write-env']],
    [['--path', 'main.ts'], ['old-read']],
    [['--path', '$PROJECT/src'], ['old-read']],
    [['--path', '/etc'], ['elsewhere']],
    [['--command', 'git push*'], ['push']],
    [['--command', 'git'], ['push']],
    [['--command', 'rm*'], []],
    [['--host', 'api.example.com'], ['fetch']],
    [['--host', '*.example.com'], ['fetch']],
    [['--text', 'a="B"'], ['write-env']],
    [['--object', 'FORCE'], ['push']],
    [
      ['--tool', '*_file'],
      ['elsewhere', 'cut', 'write-env', 'old-read'],
    ],
    [
      ['--tool', 'write_*', '--server', '{files,web}'],
      ['cut', 'write-env'],
    ],
    [['--server', 'claude:*'], ['push']],
    [['--run', '4si', '--tool', 'fetch'], ['fetch']],
    [['--since', '3h', '--until', '2h'], []],
    [
      ['--since', '3d', '--tool', 'read_file'],
      ['elsewhere', 'old-read'],
    ],
  ])('%j finds by what calls are about', async (flags, calls) => {
    expect(await found(...flags)).toEqual(calls);
  });

  it('finds the calls of runs that work in a folder, or below it', async () => {
    const shop = join(at.home, 'shop');
    expect(await found('--project', shop)).toEqual(['cut', 'fetch', 'push', 'write-env', 'old-read']);
    expect(await found('--project', `${shop}/../shop/src`, '--limit', '1')).toEqual(['cut']);
    expect(await found('--project', '/else')).toEqual([]);
    expect(await found('--project', '/elsewhere')).toEqual(['elsewhere']);
  });

  it('leaves out a call of which too little is kept, and says so', async () => {
    const { stdout, stderr } = await sub('query', '--path', '*.nothing');
    expect(stdout).toBe('nothing in the ledger fits\n');
    expect(stderr).toBe('left out: 1 call of which too little was read, or is kept, to tell\n');
    expect((await sub('query', '--path', '*.nothing', '--json')).stderr).toBe(stderr);
  });

  it.each([
    [['--decision', 'refusd'], '`refusd` is not one of `allowed`, `refused`', 'did you mean `refused`?'],
    [['--status', 'faild'], '`faild` is not one of `ok`', 'did you mean `failed`?'],
    [['--client', 'cladue'], '`cladue` is not one of `claude`', 'did you mean `claude`?'],
    [['--since', 'soon'], '`soon` is not a time', '`--since` takes an age'],
    [['--tool', '[a'], '`[a` cannot be read', 'it was given for `--tool`'],
    [['--path', 'a/../b'], '`a/../b` cannot be read: it has `..` in it', '`--path`'],
  ])('%j is a mistake, with what may be meant', async (flags, message, help) => {
    const { code, stderr } = await sub('query', ...flags);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
    expect(stderr).toContain(help);
  });

  it('lists calls with the number that `show` and `why` take, as `tail` does', async () => {
    const [, row = ''] = (await sub('query', '--command', 'git')).stdout.split('\n');
    const seq = /^ *([0-9]+) /.exec(row)?.[1] ?? '';
    expect((await sub('show', seq)).stdout).toMatch(/^what +claude:builtin\.Bash\n/);
    const line = (await sub('tail', '--no-follow')).stdout
      .split('\n')
      .find((one) => one.includes('git push'));
    expect(line).toMatch(new RegExp(`^[0-9:]{8} +${seq}  QQZC3M  ok `));
    expect((await sub('why', seq)).code).toBe(0);
    expect((await sub('why', 'nothing')).stderr).toContain('there is no call `nothing`');
  });
});

it('`tail --json` has the object of a call, as `query --json` has it', async () => {
  const values = async (...args: string[]): Promise<JsonObject[]> =>
    (await sub(...args, '--json')).stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as JsonObject);
  const starts = (await values('tail', '--no-follow', '--lines', '500')).filter(
    ({ type }) => type === 'tool_call_start',
  );
  const told = starts.map((event) => [textAt(event, 'call', 'call_id'), objectAt(event, 'call')['object']]);
  const listed = (await values('query', '--limit', '500')).map((one) => [one['call_id'], one['object']]);
  expect(told.length).toBeGreaterThan(5);
  expect(new Set(told.map(String))).toEqual(new Set(listed.map(String)));
});

describe('on a terminal', () => {
  beforeAll(async () => {
    const objects = [
      `echo ${'very-long '.repeat(300)}`,
      '/work/資料/報告書/とても長い名前のフォルダー/日本語のファイル名.txt',
      'a\u202egpj.exe\u001b[2J\r\nforged line',
      '한국어 🙂🙂🙂🙂🙂🙂🙂🙂🙂🙂🙂🙂🙂🙂🙂🙂🙂🙂🙂🙂🙂🙂 end',
    ];
    for (const [index, command] of objects.entries())
      await recordCall(at.ledger, {
        runId: OTHER,
        callId: `wide-${index}`,
        ts: NOW - 1000,
        tool: ['a_server_with_a_long_name', 'a_tool_with_a_long_name'],
        args: { command },
        action: 'REJECT_WITH_HINT',
        ruleId: 'a-rule-with-a-long-name',
        summary: 'words that go on and on, so that no line has room for all of them',
      });
  });

  const VERBS: readonly string[][] = [
    ['query'],
    ['tail', '--no-follow'],
    ['runs'],
    ['why'],
    ['policy', 'replay', 'ci-strict', '--details'],
    ['policy', 'diff', 'observe-everything', 'ci-strict'],
    ['policy', 'test', 'developer-laptop'],
    ['policy', 'lint', 'ci-strict'],
    ['policy', 'init'],
    ['stats'],
    ['hints', 'list'],
    ['report'],
    ['show', 'XY7K2P'],
    ['show', '1'],
    ['show', 'elsewhere', '--raw'],
    ['policy', 'explain', 'elsewhere', '--all'],
    ['audit', 'status'],
    ['audit', 'verify'],
  ];
  it.each(VERBS.flatMap((verb) => [80, 120].map((columns) => [verb.join(' '), columns] as const)))(
    '`%s` keeps to %i columns, whatever an object is',
    async (verb, columns) => {
      const { stdout } = await at.sub(verb.split(' '), columns);
      for (const unsafe of ['\u202e', '\u001b', '\r']) expect(stdout).not.toContain(unsafe);
      const wide = stdout.split('\n').filter((line) => columnsOf(line) > columns);
      expect(wide).toEqual([]);
    },
  );

  it('shows the end of an object as well as its beginning', async () => {
    const { stdout } = await at.sub(['query', '--tool', 'a_tool*', '--limit', '3'], 80);
    expect(stdout).toMatch(/\/work.*….*\.txt/);
  });

  it('off a terminal `tail` has the whole object, on one line', async () => {
    const line = (await sub('tail', '--no-follow')).stdout
      .split('\n')
      .find((one) => one.includes('very-long'));
    expect(line).toMatch(/^[0-9:]{8} +[0-9]+ {2}XY7K2P {2}hinted {5}a_server/);
    expect(line?.length).toBeGreaterThan(3000);
  });
});

/** Columns of a terminal, by a second reading: East Asian letters and pictures take two. */
function columnsOf(text: string): number {
  return text.replaceAll(
    /\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Hangul}|ー|\p{Emoji_Presentation}/gu,
    '  ',
  ).length;
}

it('what reaches no host fits no host, whatever the pattern', async () => {
  const data = { destination: '' };
  await at.ledger.append({
    entries: [
      { type: 'action_rejected', ts: NOW, runId: null, tool: 'policy.trust', code: 'rejected', data },
    ],
  });
  expect(await found('--host', '*')).toEqual(['fetch']);
});
