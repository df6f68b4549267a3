import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject } from '@subluminal/core-types';
import { openLedgerReader, type EntryInput, type LedgerReader } from '@subluminal/ledger';
import { reportOf } from '@subluminal/records';
import { NO_KEYS, readCall } from '@subluminal/readings';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readHome, type Ran, type ReadHome } from '../harness/in-process.js';
import { recordCall, recordedRun } from '../harness/recorded.js';

const NOW = Date.now();
const HOSTILE = '<img src=x onerror=alert(1)>"\'&|`x`\u202e\u001b[31m\u{e0041}';
const PLACE = { project: '/work/shop', home: '/root', tmp: '/tmp', cwd: ['/work/shop'] };
let at: ReadHome;
let out: string;
const report = (...args: string[]): Promise<Ran> => at.sub(['report', ...args]);

const run = (runId: string, ts: number, agent: string): EntryInput => {
  const start = recordedRun(runId, ts);
  return { ...start, data: { ...start.data, agent_id: agent, workload: { repo_path: '/work/shop' } } };
};
const question = (id: string): JsonObject => ({
  hint: { approval: { id, expires_at: new Date(NOW + 900_000).toISOString() } },
});

async function asked(runId: string, callId: string, id: string, command: string): Promise<void> {
  const tool = ['shell', 'run_command'] as const;
  const call = { runId, callId, ts: NOW, tool, args: { command } };
  await recordCall(at.ledger, {
    ...call,
    action: 'REJECT_WITH_HINT',
    ruleId: 'pushes',
    decision: question(id),
  });
  const data = { call: { call_id: callId }, question: { id, rule_id: 'pushes' } };
  await at.ledger.append({ entries: [{ type: 'approval_requested', ts: NOW, runId, tool, data }] });
}

async function ended(id: string, runId: string | null, how: JsonObject): Promise<void> {
  const type = how['reach'] === undefined ? 'approval_denied' : 'approval_granted';
  const data = { question: { id, rule_id: 'pushes', ...how } };
  await at.ledger.append({ entries: [{ type, ts: NOW, runId, tool: ['shell', 'run_command'], data }] });
}

beforeAll(async () => {
  at = await readHome();
  out = mkdtempSync(join(tmpdir(), 'sub-report-'));
  await at.ledger.append({ entries: [run('run-one', NOW - 60_000, 'fixer'), run('run-two', NOW, 'other')] });
  const call = { runId: 'run-one', ts: NOW, status: 'OK' } as const;
  const read = ['files', 'read_text_file'] as const;
  const write = ['files', 'write_file'] as const;
  const shell = ['shell', 'run_command'] as const;
  const calls = [
    { tool: read, args: { path: '/work/shop/src/main.ts' } },
    { tool: read, args: { path: '/work/shop/src/main.ts' } },
    { tool: write, args: { path: '/work/shop/src/main.ts', content: 'x' } },
    { tool: write, args: { path: `/work/shop/${HOSTILE}`, content: 'x' } },
    { tool: shell, args: { command: 'npm test' } },
    { tool: shell, args: { command: 'rm -rf /work/shop/dist' } },
    { tool: ['web', 'fetch'] as const, args: { url: 'https://docs.example.com/a' } },
  ];
  for (const [n, one] of calls.entries()) {
    const readings = readCall(
      { server: one.tool[0], tool: one.tool[1], args: one.args, keys: NO_KEYS },
      PLACE,
    );
    const facts = { readings: JSON.parse(JSON.stringify(readings)) };
    await recordCall(at.ledger, { ...call, ...one, facts, callId: `call-one-${n}-0000` });
  }
  await recordCall(at.ledger, {
    ...call,
    tool: read,
    args: { path: '/root/.ssh/id_rsa' },
    callId: 'call-refused-000',
    action: 'BLOCK',
    ruleId: 'credentials',
  });
  await asked('run-one', 'call-yes-0000000', 'question-yes', 'git push');
  await ended('question-yes', 'run-one', { reach: 'run' });
  await asked('run-one', 'call-lost-000000', 'question-lost', 'git push --force');
  await ended('question-lost', null, { closed: 'run_ended' });
  await asked('run-one', 'call-open-000000', 'question-open', 'git push --tags');
  await recordCall(at.ledger, {
    ...call,
    runId: 'run-two',
    tool: shell,
    args: { command: 'npm run other' },
    callId: 'call-two-0000000',
  });
  // Its client never told how it ended.
  await recordCall(at.ledger, {
    ...call,
    runId: 'run-two',
    status: 'CANCELLED',
    tool: shell,
    args: { command: 'npm run long' },
    callId: 'call-two-0000001',
  });
  const refused = { error: { code: 'not_allowed', message: 'no' }, destination: 'api.example.com:443' };
  const facts = { host: 'api.example.com', port: 443, via: 'connect' };
  await at.ledger.append({
    entries: [
      {
        type: 'action_rejected',
        ts: NOW,
        runId: 'run-two',
        tool: 'net.connect',
        code: 'rejected',
        data: { ...refused, facts },
      },
    ],
  });
}, 180_000);
afterAll(async () => {
  await at.remove();
  rmSync(out, { recursive: true, force: true });
});

describe('a report of a run', () => {
  it('tells its files, commands, hosts and tools, what was refused, and how questions ended', async () => {
    const { code, stdout } = await report('run-one');
    expect(code).toBe(0);
    expect(stdout).toContain('What fixer did');
    expect(stdout).toMatch(/calls +11 calls: 7 ran, 3 asked a person, 1 refused/);
    expect(stdout).toMatch(/ 1 +\d+ +credentials +files\.read_text_file \/root\/\.ssh\/id_rsa/);
    expect(stdout).toMatch(/yes, for the run +pushes +shell\.run_command git push\n/);
    expect(stdout).toMatch(/none: the run ended +pushes +shell\.run_command git push --force\n/);
    expect(stdout).toMatch(/open +pushes +shell\.run_command git push --tags\n/);
    expect(stdout).toMatch(/ 1 +src\/main\.ts\n/);
    expect(stdout).toMatch(/ {9}1 +dist\n/);
    expect(stdout).toMatch(/ 2 +src\/main\.ts\n/);
    expect(stdout).toMatch(/ 1 +npm test\n/);
    expect(stdout).toMatch(/docs\.example\.com/);
    expect(stdout).not.toContain('npm run other');
  });

  it('says what the next stricter starter would have stopped, or the one that is named', async () => {
    const { stdout } = await report('run-one');
    expect(stdout).toContain('Under developer-laptop');
    const strict = await report('run-one', '--against', 'production-read-only', '--json');
    const { against } = JSON.parse(strict.stdout);
    expect(against).toMatchObject({ policy: { policy_id: 'production-read-only' }, calls: 11, cut: false });
    expect(against.stopped).toBeGreaterThanOrEqual(4);
    expect((await report('run-one', '--against', 'nothing-like-it')).code).not.toBe(0);
  });

  it('is the newest run where nothing is named, and all runs of a time where that is', async () => {
    expect((await report()).stdout).toContain('What other did');
    expect((await report()).stdout).toMatch(/calls +2 calls: 2 ran, 1 of them did not finish, 0 refused\n/);
    // Refused connections are no refused calls: both are counted, here and by `sub runs`.
    expect((await report()).stdout).toMatch(/0 refused\nconnections +1, 1 refused\n/);
    expect((await at.sub(['runs'])).stdout).toMatch(/ 1 \(1 refused\) /);
    const { stdout } = await report('--since', '1h');
    expect(stdout).toContain('What agents did');
    expect(stdout).toMatch(/calls +13 calls/);
    expect(stdout).toContain('npm run other');
    expect((await report('--until', '2020-01-01')).stdout).toMatch(/calls +0 calls/);
  });
});

it('what was refused stands first, and all runs stand last', async () => {
  const { stdout } = await report('--since', '1h', '--html', '--against', 'observe-everything');
  const titles = [...stdout.matchAll(/<h2>(.*?)<\/h2>/g)].map(([, title]) => title);
  expect(titles[0]).toMatch(/^(?:Refused|Would have been refused)$/);
  expect(titles.indexOf('Runs')).toBeGreaterThan(titles.indexOf('Tools'));
});

describe('what an agent wrote', () => {
  it.each(['--html', '--md'])('acts on no reader of %s', async (form) => {
    const { stdout } = await report('run-one', form);
    expect(stdout.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u);
    expect(stdout).toContain('onerror');
    if (form === '--html') {
      expect(stdout).not.toContain('<img');
      expect(stdout).toContain('&lt;img src=x onerror=alert(1)&gt;&quot;&#39;&amp;|`x`\\u202e\\x1b[31m');
    } else expect(stdout).toContain('`` <img src=x onerror=alert(1)>"\'&\\|`x`\\u202e\\x1b[31m');
  });

  it('leaves the headings of --md as they are', async () => {
    const { stdout } = await report('run-one', '--md');
    expect(stdout).not.toContain('#\\x23');
    expect(stdout).toMatch(/^# What .*\n/);
    expect(stdout).toMatch(/\n\nTools\n---\n/);
  });

  it('stands in a page that loads nothing, runs nothing, and has one style sheet', async () => {
    const { stdout } = await report('run-one', '--html');
    expect(stdout).toMatch(
      /content="default-src 'none'; style-src 'sha256-[A-Za-z0-9+/]{43}='; base-uri 'none'; form-action 'none'"/,
    );
    expect(stdout).not.toMatch(/<(?:script|img|iframe|object|embed|link|base|form|svg|a) /);
    expect(stdout).not.toMatch(/\s(?:src|href|style|on[a-z]+)=["']/);
    expect(stdout).not.toMatch(/url\(|@import/);
    expect(stdout.match(/<style>/g)).toHaveLength(1);
  });
});

describe('--out', () => {
  it('writes for its owner alone, and replaces nothing without a word', async () => {
    const file = join(out, 'report.html');
    const { code, stdout } = await report('run-one', '--html', '--out', file);
    expect({ code, stdout }).toEqual({ code: 0, stdout: `written: ${file}\n` });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const before = readFileSync(file, 'utf8');
    expect((await report('run-two', '--html', '--out', file)).code).toBe(2);
    expect(readFileSync(file, 'utf8')).toBe(before);
    expect((await report('run-two', '--html', '--out', file, '--force')).code).toBe(0);
    expect(readFileSync(file, 'utf8')).toContain('What other did');
  });

  it('makes a file that it replaces one for its owner alone', async () => {
    const file = join(out, 'open.md');
    writeFileSync(file, 'mine', { mode: 0o644 });
    expect((await report('run-one', '--md', '--out', file, '--force')).code).toBe(0);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it.each([
    ['a link', (path: string) => symlinkSync(join(out, 'aim'), path)],
    ['a pipe', (path: string) => execFileSync('mkfifo', [path])],
    ['a folder', (path: string) => mkdirSync(path)],
  ])('does not write into %s that is there, even where it may replace', async (what, make) => {
    const [aim, path] = [join(out, 'aim'), join(out, what)];
    writeFileSync(aim, 'mine');
    make(path);
    for (const more of [[], ['--force']]) {
      expect(await report('run-one', '--md', '--out', path, ...more)).toEqual({
        code: 2,
        stdout: '',
        stderr: `error[usage]: \`${path}\` is ${what}: nothing was written\nhelp: name a file that does not exist yet\n`,
      });
    }
    expect(readFileSync(aim, 'utf8')).toBe('mine');
    expect((await report('run-one', '--out', '/dev/null', '--force')).stderr).toContain('is a device');
  });

  it('is not begun where two forms are asked for', async () => {
    const file = join(out, 'two');
    expect((await report('run-one', '--md', '--html', '--out', file)).code).toBe(2);
    expect(existsSync(file)).toBe(false);
  });
});

describe('a report of much', () => {
  const parts = (reader: LedgerReader, turn: () => undefined) => ({
    reader,
    turn,
    placeOf: () => ({ home: '/root', tmp: '/tmp', project: undefined, cwd: [] }),
  });

  it('reads the newest calls, says that there is more, and gives way between any two entries', async () => {
    const reader = openLedgerReader(join(at.home, 'ledger.db'));
    try {
      let turns = 0;
      const turn = (): undefined => void (turns += 1);
      const told = await reportOf({ ...parts(reader, turn), most: 4 }, { runId: 'run-one' });
      expect(told).toMatchObject({ isCut: true, calls: { total: 4, asked: 3, refused: 1 } });
      expect(turns).toBeGreaterThanOrEqual(4);
      const all = await reportOf({ ...parts(reader, turn), most: 11 }, { runId: 'run-one' });
      expect(all).toMatchObject({ isCut: false, calls: { total: 11 } });
    } finally {
      reader.close();
    }
  });

  it('keeps so many names apart, and counts what has no room', async () => {
    await at.ledger.append({ entries: [run('run-many', NOW, 'many')] });
    for (let n = 0; n < 2100; n += 1)
      await recordCall(at.ledger, {
        runId: 'run-many',
        callId: `call-many-${String(n).padStart(6, '0')}`,
        ts: NOW,
        tool: ['files', 'write_file'],
        args: { path: `/work/shop/${n}` },
        status: 'OK',
      });
    const { files, calls } = JSON.parse((await report('run-many', '--json')).stdout);
    expect(calls.total).toBe(2100);
    expect(files.rows).toHaveLength(200);
    expect(files.more).toBe(1900);
    expect((await report('run-many')).stdout).toMatch(/… 2085 more/);
  }, 180_000);
});
