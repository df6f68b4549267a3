import { createPrivateKey } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { homePaths } from '@subluminal/ipc';
import { openLedger, type EntryInput } from '@subluminal/ledger';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createHome, type TestHome } from '../harness/home.js';
import { runSub } from '../harness/resident.js';
import { type Finished } from '../harness/sub.js';

const RUN = '01JB0000000000000000000000';
const HASH = 'a'.repeat(64);

let at: TestHome;
let closed: string[] = [];
const sub = (...args: string[]): Promise<Finished> => runSub([...args, '--home', at.home]);
const segments = (): string => join(at.home, 'segments');

const entry = (
  type: EntryInput['type'],
  data: EntryInput['data'],
  more: Partial<EntryInput> = {},
): EntryInput => ({
  type,
  ts: Date.now(),
  runId: RUN,
  data,
  ...more,
});

/** One call, as a gateway records it; its end may come in a later file. */
function begin(call: string): { entries: EntryInput[]; seen: { runId: string; id: string } } {
  const data = { req: { id: call, sig: 'mac' }, call: { call_id: call, args_hash: HASH } };
  const tool = ['files', 'read'] as const;
  return {
    entries: [
      entry('tool_call_start', data, { tool, blobs: { 'call.preview.args_preview': `of ${call}` } }),
      entry('tool_call_decision', { call: { call_id: call } }, { tool, code: 'ALLOW' }),
    ],
    seen: { runId: RUN, id: call },
  };
}

const end = (call: string, ref: number): EntryInput =>
  entry(
    'tool_call_end',
    { call: { call_id: call }, latency_ms: 3 },
    { tool: ['files', 'read'], code: 'OK', ref },
  );

/**
 * A home whose ledger has gone on in another file twice; the call `early` begins in the first and ends in the
 * third.
 */
beforeAll(async () => {
  at = createHome({ config: '[ledger]\nsegment_mb = 1\n' });
  expect((await sub('up')).code).toBe(0);
  expect((await sub('down')).code).toBe(0);
  const paths = homePaths(at.home);
  let early = 0;
  for (const life of [1, 2, 3]) {
    const ledger = await openLedger({
      path: paths.ledgerDb,
      signingKey: { privateKey: createPrivateKey(readFileSync(paths.logKey)) },
      sealKeyPath: paths.sealKey,
      headsLog: at.headsLog,
      durability: 'process',
      segmentBytes: 1,
      clock: Date.now,
    });
    if (life === 1) {
      await ledger.append({
        entries: [entry('run_start', { agent_id: 'agent', client: 'claude', env: 'dev', host_id: 'h' })],
      });
      const begun = await ledger.append(begin('early'));
      early = begun.ok ? (begun.entries[1]?.seq ?? 0) : 0;
    }
    const begun = await ledger.append(begin(`call-${life}`));
    await ledger.append({ entries: [end(`call-${life}`, begun.ok ? (begun.entries[1]?.seq ?? 0) : 0)] });
    if (life === 3) await ledger.append({ entries: [end('early', early)] });
    await ledger.close();
  }
  expect((await sub('up')).code).toBe(0);
  closed = readdirSync(segments()).toSorted();
  expect(closed.length).toBeGreaterThanOrEqual(2);
}, 120_000);
afterAll(() => at.remove());

const json = async (...args: string[]): Promise<Record<string, unknown>> =>
  JSON.parse((await sub(...args, '--json')).stdout);

it('query, show and tail read all files of a ledger as one', async () => {
  const { stdout } = await sub('query', '--run', RUN, '--json');
  const records = stdout
    .trimEnd()
    .split('\n')
    .map((line): Record<string, unknown> => JSON.parse(line));
  expect(records.map((record) => [record['call_id'], record['status']])).toEqual([
    ['call-3', 'OK'],
    ['call-2', 'OK'],
    ['call-1', 'OK'],
    ['early', 'OK'],
  ]);
  const shown = await sub('show', 'early');
  expect(shown.stdout).toContain('of early');
  expect((await sub('tail', '--no-follow', '-n', '3')).stdout.match(/files\.read/g)).toHaveLength(3);
});

it('audit status says what lies in closed files, and doctor is content', async () => {
  const status = await json('audit', 'status');
  expect(status['open']).toMatchObject({ elsewhere: 0 });
  expect(status).toMatchObject({
    mistake: null,
    segments: closed.length,
    segments_hold: { first: 1 },
    segments_missing: [],
    previews: { kept: 4, held_up_by: null },
  });
  expect((await sub('audit', 'status')).stdout).toMatch(/closed +\d files, .*, entries 1 to \d+/);
  expect((await sub('doctor')).stdout).not.toContain('changed by another program');
  expect((await sub('audit', 'verify')).code).toBe(0);
});

it('a proof of an entry of a closed file, and of growth from a checkpoint of then, verifies', async () => {
  const file = join(at.root, 'entry.tlog-proof');
  expect((await sub('audit', 'prove', '3', '--out', file)).code).toBe(0);
  expect((await sub('audit', 'checkpoint', '--out', join(at.root, 'checkpoint'))).code).toBe(0);
  expect(
    (await sub('audit', 'prove', '--since', join(at.root, 'checkpoint'), '--out', join(at.root, 'growth')))
      .code,
  ).toBe(0);
  expect(existsSync(file)).toBe(true);
});

it('a backup holds all files, and one that is missing is named everywhere', async () => {
  const whole = join(at.root, 'whole');
  expect(await json('audit', 'backup', whole)).toMatchObject({ missing: [] });
  expect(readdirSync(join(whole, 'segments')).toSorted()).toEqual(closed);
  expect((await sub('audit', 'verify', join(whole, 'ledger.db'))).code).toBe(6);

  const [oldest = ''] = closed;
  renameSync(join(segments(), oldest), join(at.root, oldest));
  expect((await json('audit', 'status'))['segments_missing']).toMatchObject([{ from: 1, to: 1, first: 1 }]);
  expect((await sub('audit', 'status')).stdout).toMatch(new RegExp(`missing +\`${oldest}\``));
  expect((await sub('audit', 'status')).stdout).toContain(`no preview expires behind \`${oldest}\``);
  expect((await sub('doctor')).stdout).toContain(`not in \`segments/\`: \`${oldest}\``);
  expect((await sub('query')).stderr).toContain(`put \`${oldest}\` back`);
  const shown = await sub('show', '3');
  expect([shown.code, shown.stderr]).toEqual([expect.any(Number), expect.stringContaining(oldest)]);
  expect((await sub('audit', 'prove', '3')).stderr).toContain(oldest);
  const verified = await sub('audit', 'verify');
  expect(verified.code).toBe(6);
  expect(verified.stdout).toMatch(/^consistent, but unproven: closed files of it are not there\n/);
  expect(verified.stdout).toContain('help: put the closed files back into `segments/`');
  const made = await sub('audit', 'backup', join(at.root, 'part'));
  expect([made.code, made.stderr]).toEqual([0, expect.stringContaining('are not in it')]);
  renameSync(join(at.root, oldest), join(segments(), oldest));
  expect((await sub('audit', 'verify')).code).toBe(0);
});

it('a page that begins in a file that is not there names it, though older files are there', async () => {
  const name = closed[1] ?? '';
  const [, first = 0, last = 0] = name.split(/[-.]/).map(Number);
  renameSync(join(segments(), name), join(at.root, name));
  for (const cursor of [first, last, last + 1]) {
    const { code, stdout, stderr } = await sub('query', '--cursor', String(cursor));
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain(
      `below entry \`${cursor}\` nothing can be listed: \`${name}\` is not in \`segments/\``,
    );
    expect(stderr).toContain(`\nhelp: put \`${name}\` back`);
  }
  expect((await sub('query', '--cursor', String(last + 2))).code).toBe(0);
  renameSync(join(at.root, name), join(segments(), name));
  expect((await sub('query', '--cursor', String(last))).stdout).toContain('files.read');
});

it('something else under the name of an older closed file is tampering, and whoever reads it says what to do', async () => {
  const path = join(segments(), closed[0] ?? '');
  renameSync(path, join(at.root, 'aside.db'));
  writeFileSync(path, 'garbage'.repeat(999), { mode: 0o600 });
  const verified = await sub('audit', 'verify');
  expect([verified.code, verified.stdout, verified.stderr]).toEqual([
    4,
    expect.stringMatching(/^tampered: /),
    '',
  ]);
  expect(verified.stdout).toContain(closed[0]);
  const { code, stderr } = await sub('audit', 'status');
  expect([code, stderr]).toEqual([4, expect.stringContaining('help: put the file back from a backup')]);
  renameSync(join(at.root, 'aside.db'), path);
  expect((await sub('audit', 'verify')).code).toBe(0);
});

it('a closed file that cannot be opened leaves the ledger unchecked, and says so of the anchors too', async () => {
  const path = join(segments(), closed[0] ?? '');
  // Who only reads cannot undo what a journal says was cut off, whatever the user that the tests run as.
  writeFileSync(`${path}-journal`, 'x'.repeat(512), { mode: 0o600 });
  const { code, stdout, stderr } = await sub('audit', 'verify');
  expect([code, stderr]).toEqual([1, '']);
  expect(stdout).toMatch(/^not checked: /);
  expect(stdout).toContain(`because: \`${path}-journal\` stands beside the ledger, and is no journal of it`);
  expect(stdout).toContain('because: the anchors that the ledger remembers could not be looked at');
  expect(stdout).toMatch(/^help: /m);
  expect(await json('audit', 'verify')).toMatchObject({
    verdict: 'unchecked',
    exit: 1,
    reasons: [expect.stringContaining(path), expect.stringContaining('could not be looked at')],
  });
  rmSync(`${path}-journal`);
  expect((await sub('audit', 'verify')).code).toBe(0);
});

it('the newest closed file is named, and where it belongs, by whoever cannot do without it', async () => {
  expect((await sub('down')).code).toBe(0);
  const newest = readdirSync(segments())
    .toSorted((a, b) => parseInt(a) - parseInt(b))
    .at(-1);
  renameSync(join(segments(), newest ?? ''), join(at.root, newest ?? ''));
  const told = [
    expect.stringContaining(`is not in its place: \`${newest}\``),
    expect.stringContaining(`help: put it back into \`${segments()}\``),
  ];
  const [up, run] = [
    await sub('up'),
    await runSub(['run', '--home', at.home, '--', process.execPath, '-e', '0']),
  ];
  for (const { code, stderr } of [up, run]) expect([code, stderr, stderr]).toEqual([1, ...told]);
  const status = await json('audit', 'status');
  expect(status['next']).toBe(
    `put \`${newest}\` back into \`segments/\`: the gateway does not start without it`,
  );
  expect((await sub('audit', 'status')).stdout).toMatch(/anchor +none in the files that are there/);
  const { code, stdout } = await sub('doctor');
  expect([code, stdout]).toEqual([1, expect.stringMatching(/fail +segments +not in/)]);
  renameSync(join(at.root, newest ?? ''), join(segments(), newest ?? ''));
  expect((await sub('up')).code).toBe(0);
});

it('a restore says what its backup does not hold, and where what was there stands', async () => {
  expect((await sub('down')).code).toBe(0);
  const restored = await sub('audit', 'restore', join(at.root, 'part'), '--yes');
  expect(restored.code).toBe(0);
  expect(restored.stderr).toMatch(/^entries 1 to \d+ are not in the backup: /);
  const [, replaced = ''] = /stands in `([^`]+)`/.exec(restored.stdout) ?? [];
  const [oldest = ''] = closed;
  renameSync(join(replaced, 'segments', oldest), join(segments(), oldest));
  expect((await sub('audit', 'verify')).code).toBe(0);
});

it('a restore puts all files back, and the gateway goes on', async () => {
  writeFileSync(join(segments(), 'notes'), 'of the operator', { mode: 0o600 });
  expect((await sub('down')).code).toBe(0);
  const restored = await sub('audit', 'restore', join(at.root, 'whole'), '--yes', '--reason', 'a test');
  expect([restored.code, restored.stderr]).toEqual([0, '']);
  expect(readdirSync(segments()).toSorted()).toEqual(closed);
  expect((await sub('up')).code).toBe(0);
  expect((await sub('audit', 'verify')).code).toBe(0);
  expect((await sub('show', 'early')).stdout).toContain('of early');
});
