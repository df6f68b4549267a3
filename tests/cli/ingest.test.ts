import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openLedgerReader } from '@subluminal/ledger';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHome, type TestHome } from '../harness/home.js';
import { runSub } from '../harness/resident.js';

/** A CI machine, and the home that takes in what it says. */
let ci: TestHome;
let home: TestHome;
let bundle: string;
let events: string;
let pin: string;
let runId: string;

const sub = (verb: string, ...args: string[]) => runSub([verb, ...args, '--home', home.home]);
async function json(verb: string, ...args: string[]): Promise<unknown[]> {
  const { stdout } = await sub(verb, ...args, '--json');
  return stdout
    .split('\n')
    .slice(0, -1)
    .map((line): unknown => JSON.parse(line));
}
const file = (name: string, text: string): string => {
  const path = join(home.root, name);
  writeFileSync(path, text);
  return path;
};
const sizeOf = (): number => {
  const reader = openLedgerReader(home.ledger);
  try {
    return reader.byType('run_ingested', { limit: 1000 }).rows.length;
  } finally {
    reader.close();
  }
};

beforeAll(async () => {
  [ci, home] = [createHome(), createHome()];
  await runSub(['run', '--home', ci.home, '--agent', 'tester', '--', process.execPath, '-e', '']);
  const run = JSON.parse((await runSub(['runs', '--json', '--home', ci.home])).stdout) as { run_id: string };
  runId = run.run_id;
  bundle = join(ci.root, 'bundle');
  const exported = await runSub(['export', 'run', runId, '--out', bundle, '--json', '--home', ci.home]);
  pin = (JSON.parse(exported.stdout) as { genesis: string }).genesis;
  events = readFileSync(join(bundle, 'events.jsonl'), 'utf8');
  expect(await sub('up')).toMatchObject({ code: 0 });
});
afterAll(async () => {
  await ci.remove();
  await home.remove();
});

describe('sub ingest', () => {
  it('takes a bundle in, once, and better verified than before', async () => {
    expect(await json('ingest', bundle)).toMatchObject([
      {
        source: { kind: 'bundle', genesis: pin },
        verified: 'consistent',
        events: 2,
        added: 2,
        runs: [{ run_id: runId, ended: true }],
      },
    ]);
    const [before] = await json('runs', '--ingested');
    expect(before).toMatchObject({
      ingested: true,
      run_id: runId,
      verified: 'consistent',
      agent_id: 'tester',
      events: 2,
      ended: true,
    });
    expect(await json('ingest', bundle)).toMatchObject([{ events: 2, added: 0 }]);
    expect(sizeOf()).toBe(1);
    expect(await json('ingest', bundle, '--pin', pin)).toMatchObject([{ verified: 'pinned', added: 0 }]);
    expect(await json('runs', '--ingested')).toMatchObject([{ verified: 'pinned', events: 2 }]);
    expect(await json('ingest', bundle, '--pin', pin)).toMatchObject([{ added: 0 }]);
    expect(sizeOf()).toBe(2);
  });

  it('takes nothing of a bundle that does not verify', async () => {
    expect(await sub('ingest', bundle, '--pin', 'a'.repeat(64))).toMatchObject({ code: 4 });
    const forged = join(home.root, 'forged');
    cpSync(bundle, forged, { recursive: true });
    writeFileSync(join(forged, 'events.jsonl'), events.replace('tester', 'twister'));
    expect(await sub('ingest', forged)).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('nothing was ingested'),
    });
    expect(sizeOf()).toBe(2);
  });

  it('takes events in from a pipe, and goes on where they end', async () => {
    const [first = ''] = events.split('\n');
    const args = ['ingest', '-', '--source', 'nightly', '--json', '--home', home.home];
    const piped = async (input: string): Promise<unknown> =>
      JSON.parse((await runSub(args, { input })).stdout);
    expect(await piped(first)).toMatchObject({ verified: 'none', added: 1, runs: [{ ended: false }] });
    expect(await piped(events)).toMatchObject({ events: 2, added: 1, runs: [{ ended: true }] });
    expect(await piped(events)).toMatchObject({ events: 2, added: 0 });
    const [run] = (await json('runs', '--ingested')) as { key: string; source: object }[];
    expect(run?.source).toEqual({ kind: 'events', name: 'nightly' });
    const [shown, ...told] = await json('show', run?.key ?? '');
    expect(shown).toMatchObject({ run: { run_id: runId, verified: 'none' } });
    expect(told.map((event) => JSON.stringify(event))).toEqual(
      events
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.stringify(JSON.parse(line))),
    );
    expect((await sub('show', run?.key ?? '')).stdout).toContain('run_start');
  });

  it('takes in what a run says of the secrets of its servers, and of arguments that it left out', async () => {
    const [start = '', end = ''] = events.split('\n');
    const { run: _run, policy: _policy, ...envelope } = JSON.parse(start) as Record<string, unknown>;
    const secret = {
      server_name: 'github',
      inject_as: 'GITHUB_TOKEN',
      secret_ref: 'github_token',
      source: 'store',
      inject: 'egress',
      hosts: ['api.github.com'],
      success: true,
    };
    const password = { ...secret, note: 'hunter2-hunter2' };
    const hint = {
      hint_text: 'say less',
      hint_kind: 'SAFETY',
      retry_advice: null,
      suggested_args: { token: { omitted: true }, keep: 1 },
    };
    const told = [
      { ...envelope, type: 'secret_injection', secret },
      { ...envelope, type: 'secret_injection', secret: password },
      { ...envelope, type: 'hint_issued', call: { call_id: 'one' }, hint },
    ].map((event) => JSON.stringify(event));
    const path = file('secrets.jsonl', [start, ...told, end].join('\n'));
    for (const added of [5, 0])
      expect(await json('ingest', path, '--source', 'secrets')).toMatchObject([{ events: 5, added }]);
    const run = ((await json('runs', '--ingested')) as { key: string; source: { name?: string } }[]).find(
      ({ source }) => source.name === 'secrets',
    );
    const [, , one, other, third] = await json('show', run?.key ?? '');
    expect(one).toMatchObject({ type: 'secret_injection', source: { shim_id: 'gateway' }, secret });
    expect(other).toMatchObject({ secret: { ...secret, note: '[REDACTED]' } });
    expect(third).toMatchObject({ hint });
  });

  it('names the lines that are wrong, and takes nothing of the file', async () => {
    const before = sizeOf();
    const [start = '', end = ''] = events.split('\n');
    const bad = file(
      'bad.jsonl',
      [start, '{"type":"run_start"}', 'no json', '['.repeat(100), start, end, end].join('\n'),
    );
    const { code, stderr } = await sub('ingest', bad, '--source', 'bad');
    expect(code).toBe(1);
    expect(stderr).toContain('line 2: it is no event of Contract A');
    expect(stderr).toMatch(
      /line 3: .*\nline 4: .*\nline 5: the run `\w+` begins again\nline 7: the run `\w+` has ended before/,
    );
    const later = file('later.jsonl', `${end}\n`);
    expect((await sub('ingest', later, '--source', 'later')).stderr).toContain('line 1: the run');
    const other = file('other.jsonl', events.replaceAll('tester', 'somebody'));
    expect((await sub('ingest', other, '--source', 'nightly')).stderr).toContain(
      'line 1: event 1 of the run',
    );
    expect(await sub('ingest', file('long.jsonl', 'x'.repeat(2_000_000)))).toMatchObject({ code: 2 });
    expect(await sub('ingest', join(home.root, 'nothing'))).toMatchObject({ code: 2 });
    expect(sizeOf()).toBe(before);
  });

  it('takes no run whose name could be a path, and tells which names runs have', async () => {
    const before = sizeOf();
    const named = (id: string): string => events.replaceAll(runId, id);
    const [start = ''] = events.split('\n');
    const wrong = ['../../x', '..', 'a/b', 'a..b', '-rf', 'two words', '', 'x'.repeat(257)];
    const bad = file('unnamed.jsonl', wrong.map((id) => start.replaceAll(runId, id)).join('\n'));
    const { code, stderr } = await sub('ingest', bad, '--source', 'named');
    expect([code, stderr.split('\n').slice(0, wrong.length)]).toEqual([
      1,
      wrong.map((_, at) => expect.stringMatching(new RegExp(`^line ${at + 1}: its \`run_id\` is no id`))),
    ]);
    expect(sizeOf()).toBe(before);
    const id = 'ci:job-7_x.1';
    expect(await json('ingest', file('named.jsonl', named(id)), '--source', 'named')).toMatchObject([
      { runs: [{ run_id: id, ended: true }] },
    ]);
  });

  it('lets no run of another place pose as one of ours, charge it, or revive it', async () => {
    const done = await runSub([
      'run',
      '--home',
      home.home,
      '--agent',
      'own',
      '--',
      process.execPath,
      '-e',
      '',
    ]);
    expect(done.code).toBe(0);
    const [own] = (await json('runs')) as { run_id: string; status: string }[];
    const ownId = own?.run_id ?? '';
    const [start = ''] = events.split('\n');
    const posing = file('posing.jsonl', `${start.replaceAll(runId, ownId)}\n`);
    expect(await json('ingest', posing, '--source', 'poser')).toMatchObject([
      { added: 1, runs: [{ run_id: ownId }] },
    ]);
    expect(await json('runs')).toMatchObject([{ run_id: ownId, agent_id: 'own', status: 'SUCCEEDED' }]);
    const reader = openLedgerReader(home.ledger);
    expect(reader.byRun(ownId, { limit: 1000 }).rows.map(({ type }) => type)).not.toContain('run_ingested');
    expect(reader.byRun(runId).rows).toEqual([]);
    reader.close();
    const status = JSON.parse((await sub('status', '--json')).stdout) as { runs: { live: number } };
    expect(status.runs.live).toBe(0);
    expect((await sub('down')).code).toBe(0);
    expect((await sub('up')).code).toBe(0);
    expect(JSON.parse((await sub('status', '--json')).stdout)).toMatchObject({ runs: { live: 0 } });
    expect(await runSub(['audit', 'verify', '--home', home.home])).toMatchObject({ code: 0 });
  });

  it('keeps credentials out, and refuses its own bundles and to run inside a run', async () => {
    const [start = ''] = events.split('\n');
    const leaky = file(
      'leaky.jsonl',
      `${start.replace('"tester"', '"ghp_0123456789abcdefghijABCDEFGHIJ0123456789"')}\n`,
    );
    expect(await sub('ingest', leaky, '--source', 'leaky')).toMatchObject({ code: 0 });
    expect(readFileSync(home.ledger).includes('ghp_0123456789abcdef')).toBe(false);

    const [own] = (await json('runs')) as { run_id: string }[];
    const ownBundle = join(home.root, 'own-bundle');
    expect(
      await runSub(['export', 'run', own?.run_id ?? '', '--out', ownBundle, '--home', home.home]),
    ).toMatchObject({ code: 0 });
    expect(await sub('ingest', ownBundle)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('this very ledger'),
    });
  });

  it('takes ten thousand events in', async () => {
    const [start = '', end = ''] = events.split('\n');
    const health = JSON.stringify({
      ...(JSON.parse(start) as object),
      type: 'shim_health',
      run: undefined,
      policy: undefined,
    });
    const many = file(
      'many.jsonl',
      [start, ...Array.from({ length: 9998 }, () => health), end, ''].join('\n'),
    );
    expect(await json('ingest', many, '--source', 'many')).toMatchObject([{ events: 10_000, added: 10_000 }]);
    expect(await json('ingest', many, '--source', 'many')).toMatchObject([{ events: 10_000, added: 0 }]);
  });
});

describe('a file of a later version', () => {
  it('keeps events of types that a later version adds, and goes on', async () => {
    const [start = '', end = ''] = events.split('\n');
    const named = (text: string): string => text.replaceAll(runId, 'run-of-later');
    const later = named(start).replace('"run_start"', '"span_opened"').replace('"run":{', '"span":{');
    const path = file('later.jsonl', `${[named(start), later, named(end)].join('\n')}\n`);
    const [taken] = await json('ingest', path);
    expect(taken).toMatchObject({ events: 3 });
    const found = (await json('runs', '--ingested')) as { key: string; run_id: string }[];
    const key = found.find(({ run_id: id }) => id === 'run-of-later')?.key ?? '';
    const [, ...shown] = await json('show', key);
    expect(shown).toMatchObject([{ type: 'run_start' }, { type: 'span_opened' }, { type: 'run_end' }]);
    expect((await sub('show', key)).stdout).toContain('span_opened');
    const wrong = file('wrong.jsonl', `${start}\n${start.replace('"run_start"', '"Span opened"')}\n`);
    expect(await sub('ingest', wrong)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('it is no event of Contract A'),
    });
  });
});
