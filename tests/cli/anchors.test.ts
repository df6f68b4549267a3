import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHome, type TestHome } from '../harness/home.js';
import { runSub } from '../harness/resident.js';
import { SUB, type Finished } from '../harness/sub.js';

let home: TestHome;
let early: string;
let file: string;
let repository: string;

const audit = (verb: string, ...args: string[]) => runSub(['audit', verb, '--home', home.home, ...args]);
const git = (...args: string[]) =>
  execFileSync('git', ['-C', repository, ...args], { encoding: 'utf8' }).trim();

async function run(): Promise<void> {
  const argv = ['run', '--home', home.home, '--', process.execPath, '-e', ''];
  expect(await runSub(argv)).toMatchObject({ code: 0 });
}

async function down(): Promise<void> {
  expect((await runSub(['down', '--home', home.home])).code).toBe(0);
}

/**
 * A home, a copy of its early ledger, and a repository with a commit, a staged file and a hook that would
 * refuse all.
 */
beforeAll(async () => {
  home = createHome();
  await run();
  await down();
  early = join(home.root, 'early.db');
  copyFileSync(home.ledger, early);
  cpSync(join(home.home, 'keys'), join(home.root, 'early-keys'), { recursive: true });
  await run();
  file = join(home.root, 'outside', 'anchors');
  mkdirSync(join(home.root, 'outside'));
  repository = join(home.root, '-repo with space');
  execFileSync('git', ['init', '-q', '-b', 'main', '--', repository]);
  const identity = ['-c', 'user.name=n', '-c', 'user.email=e@example.com'];
  git(...identity, 'commit', '-q', '--allow-empty', '-m', 'first');
  writeFileSync(join(repository, 'staged'), 'x');
  git('add', 'staged');
  for (const hook of ['pre-commit', 'commit-msg', 'reference-transaction', 'post-commit']) {
    writeFileSync(join(repository, '.git', 'hooks', hook), '#!/bin/sh\ntouch "$0.ran"; exit 1\n', {
      mode: 0o755,
    });
  }
  git('config', 'commit.gpgSign', 'true');
});
afterAll(() => home.remove());

interface Verdict {
  readonly verdict: string;
  readonly finding: { readonly class: string; readonly detail: string } | null;
  readonly anchors: {
    readonly checkpoints: number;
    readonly known: number;
    readonly checked: number;
    readonly newest: { kind: string; age_ms: number } | null;
  };
}

function verdictOf({ stdout }: Finished): Verdict {
  return JSON.parse(stdout) as Verdict;
}

describe('sub audit anchor', () => {
  it('appends the signed head to a file, records where, and verify goes there', async () => {
    const first = await audit('anchor', '--file', file, '--json');
    expect(first.code).toBe(0);
    expect(JSON.parse(first.stdout)).toMatchObject({ kind: 'file', target: file, seq: expect.any(Number) });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    await run();
    expect(await audit('anchor', '--file', file)).toMatchObject({ code: 0 });
    expect(readFileSync(file, 'utf8').match(/^subluminal\/\S+$/gm)).toHaveLength(2);
    const verified = await audit('verify', '--json');
    expect(verified.code).toBe(0);
    expect(verdictOf(verified).anchors).toMatchObject({ known: 2, checked: 2, newest: { kind: 'file' } });
    expect((await audit('verify')).stdout).toMatch(
      /anchors\s+\d+ checkpoints, up to \d+ entries; newest .*\(file /,
    );
  });

  it('commits it to a branch of its own: work tree, index, other branches and hooks stay out of it', async () => {
    const before = [git('rev-parse', 'main'), git('status', '--porcelain')];
    expect(await audit('anchor', '--git', repository)).toMatchObject({ code: 0, stderr: '' });
    expect(await audit('anchor', '--git', repository)).toMatchObject({ code: 0 });
    expect([git('rev-parse', 'main'), git('status', '--porcelain')]).toEqual(before);
    const [branch = ''] = git('for-each-ref', '--format=%(refname)', 'refs/heads/subluminal').split('\n');
    expect(git('rev-list', '--count', branch)).toBe('2');
    expect(git('show', `${branch}:checkpoints`).match(/^subluminal\/\S+$/gm)).toHaveLength(2);
    for (const hook of ['pre-commit', 'commit-msg', 'reference-transaction', 'post-commit']) {
      expect(existsSync(join(repository, '.git', 'hooks', `${hook}.ran`))).toBe(false);
    }
    const verified = await audit('verify', '--json');
    expect(verified.code).toBe(0);
    expect(verdictOf(verified).anchors).toMatchObject({ known: 4, checked: 4, newest: { kind: 'git' } });
  });

  it('gives it to a command, whose exit status counts', async () => {
    const kept = join(home.root, 'outside', 'kept');
    const keep = `require('fs').writeFileSync(${JSON.stringify(kept)}, require('fs').readFileSync(0))`;
    expect(await audit('anchor', '--cmd', '--', process.execPath, '-e', keep)).toMatchObject({ code: 0 });
    expect(readFileSync(kept, 'utf8')).toMatch(/^subluminal\/\S+\n[0-9]+\n/);
    expect(await audit('verify', '--checkpoint', kept)).toMatchObject({ code: 0 });
    const before = verdictOf(await audit('verify', '--json')).anchors.known;
    const refused = await audit(
      'anchor',
      '--cmd',
      '--',
      process.execPath,
      '-e',
      'console.error("full"); process.exit(3)',
    );
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('it said: full')]);
    expect(await audit('anchor', '--cmd', '--', join(home.root, 'absent'))).toMatchObject({ code: 1 });
    const silent = await audit('anchor', '--cmd', '--', process.execPath, '-e', 'process.exit(1)');
    expect([silent.code, silent.stderr]).toEqual([1, expect.stringContaining('\nhelp: it said nothing; ')]);
    expect(verdictOf(await audit('verify', '--json')).anchors.known).toBe(before);
  });

  it('refuses a place that holds something else, and a question that is none', async () => {
    const other = join(home.root, 'outside', 'letter');
    writeFileSync(other, 'dear all');
    expect(await audit('anchor', '--file', other)).toMatchObject({ code: 2 });
    expect(readFileSync(other, 'utf8')).toBe('dear all');
    expect(await audit('anchor', '--git', join(home.root, 'outside'))).toMatchObject({ code: 1 });
    expect(await audit('anchor')).toMatchObject({ code: 2 });
    expect(await audit('anchor', '--file', join(home.root, 'absent', 'file'))).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('` cannot be appended to: no such file or folder\nhelp: '),
    });
    expect(await audit('anchor', '--file', file, '--git', repository)).toMatchObject({ code: 2 });
    expect(await audit('anchor', '--witness', 'http://127.0.0.1:1')).toMatchObject({ code: 2 });
    expect(await audit('anchor', '--file', file, '--out', other)).toMatchObject({ code: 2 });
    expect(readFileSync(other, 'utf8')).toBe('dear all');
  });

  it.each([
    ['a folder in place of a file', ['anchor', '--file', '/'], 'name a file of its own for the anchors'],
    ['an `--out` without a witness', ['anchor', '--cmd', '--out', 'x', '--', 'cat'], 'leave it out'],
    [
      'an address that cannot be dialled',
      ['anchor', '--witness', 'ftp://127.0.0.1:1', '--witness-key', 'key'],
      'name the address of the witness',
    ],
    [
      'a key that is no witness’s',
      ['anchor', '--witness', 'http://127.0.0.1:1', '--witness-key', 'key'],
      'it is the `vkey` that `sub witness` prints',
    ],
    [
      'what is no checkpoint',
      ['prove', '--since', fileURLToPath(import.meta.url)],
      'name what `sub audit checkpoint` printed',
    ],
  ])('says of %s what belongs there', async (_, [verb = '', ...args], help) => {
    expect(await audit(verb, ...args)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`\nhelp: ${help}`),
    });
  });

  it('takes a file without a checkpoint for a mistake, not for a contradiction', async () => {
    const other = join(home.root, 'outside', 'letter');
    const { code, stderr } = await audit('verify', '--checkpoint', other);
    expect([code, stderr]).toEqual([2, expect.stringContaining('there is no checkpoint in')]);
  });

  it('goes on behind a checkpoint that a crash cut off', async () => {
    const torn = join(home.root, 'outside', 'torn');
    expect(await audit('anchor', '--file', torn)).toMatchObject({ code: 0 });
    const whole = readFileSync(torn, 'utf8');
    // Within the text, within the first signature, and within the last one.
    for (const kept of [30, whole.indexOf('— ') + 2, whole.length - 7]) {
      const before = readFileSync(torn, 'utf8');
      writeFileSync(torn, before + whole.slice(0, kept));
      expect(await audit('anchor', '--file', torn)).toMatchObject({ code: 0 });
      expect(readFileSync(torn, 'utf8').startsWith(before)).toBe(true);
    }
    expect(await audit('verify')).toMatchObject({ code: 0 });
  });

  it('is refused inside a run', async () => {
    const inside = ['run', '--home', home.home, '--', process.execPath, '-e'];
    const script = `const { spawnSync } = require('child_process');
      process.exit(spawnSync(process.execPath, process.env.SUB_ARGS.split('|'), { stdio: 'inherit' }).status);`;
    const env = {
      ...process.env,
      SUB_ARGS: [SUB, 'audit', 'anchor', '--file', file, '--home', home.home].join('|'),
    };
    const ended = await runSub([...inside, script], { env });
    expect([ended.code, ended.stderr]).toEqual([3, expect.stringContaining('inside_run')]);
  });
});

describe('an anchor that contradicts the ledger', () => {
  it('makes it tampered, class anchor, and nothing takes that back: an anchor that was edited', async () => {
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, text.replace(/^[0-9]+$/m, '1'));
    const edited = await audit('verify', '--json');
    expect([edited.code, verdictOf(edited).finding?.class]).toEqual([4, 'anchor']);
    expect((await audit('anchor', '--file', file)).code).toBe(4);
    writeFileSync(file, text);
    expect(await audit('verify')).toMatchObject({ code: 0 });
  });

  it('one that was emptied, or lost a checkpoint', async () => {
    const text = readFileSync(file, 'utf8');
    for (const rest of ['', text.slice(text.indexOf('\nsubluminal/') + 1), '\u0000\u0001']) {
      writeFileSync(file, rest);
      const lost = await audit('verify', '--json');
      expect([lost.code, verdictOf(lost).finding?.class]).toEqual([4, 'anchor']);
    }
    writeFileSync(file, Buffer.from([0xff, 0xfe, 0x0a]));
    expect((await audit('verify')).code).toBe(4);
    writeFileSync(file, text);
  });

  it('the entry of an anchor that was spoilt: that is the verdict, and not a failure to read it', async () => {
    await down();
    const ledger = readFileSync(home.ledger);
    const at = ledger.indexOf('"type":"anchored"');
    expect(at).toBeGreaterThan(0);
    const spoilt = Buffer.from(ledger);
    spoilt.write('"type":"anchore}', at);
    for (const end of ['-wal', '-shm']) rmSync(home.ledger + end, { force: true });
    writeFileSync(home.ledger, spoilt);
    const edited = await audit('verify', '--json');
    writeFileSync(home.ledger, ledger);
    expect([edited.code, verdictOf(edited).verdict]).toEqual([4, 'tampered']);
  });

  it('a branch that was rewound, or removed', async () => {
    const [branch = ''] = git('for-each-ref', '--format=%(refname)', 'refs/heads/subluminal').split('\n');
    const tip = git('rev-parse', branch);
    rmSync(join(repository, '.git', 'hooks', 'reference-transaction'));
    git('update-ref', branch, `${branch}~1`);
    expect(verdictOf(await audit('verify', '--json')).finding).toMatchObject({ class: 'anchor' });
    git('update-ref', '-d', branch);
    expect(verdictOf(await audit('verify', '--json')).finding).toMatchObject({ class: 'anchor' });
    git('update-ref', branch, tip);
    expect(await audit('verify')).toMatchObject({ code: 0 });
  });

  it('a ledger that was put back, heads.log included: the place is remembered beside it', async () => {
    const memory = readFileSync(home.headsLog);
    await down();
    const ledger = readFileSync(home.ledger);
    for (const end of ['-wal', '-shm']) rmSync(home.ledger + end, { force: true });
    const keys = join(home.home, 'keys');
    cpSync(keys, join(home.root, 'keys'), { recursive: true });
    cpSync(join(home.root, 'early-keys'), keys, { recursive: true });
    copyFileSync(early, home.ledger);
    // heads.log is put back to what it was then: its first lines.
    const size = Number((await audit('checkpoint')).stdout.split('\n')[1]);
    const lines = memory
      .toString()
      .split('\n')
      .filter((line, at) => at === 0 || Number(line.split(' ')[0] || Infinity) <= size);
    writeFileSync(home.headsLog, `${lines.join('\n')}\n`);
    const back = await audit('verify', '--json');
    expect([back.code, verdictOf(back).finding?.class]).toEqual([4, 'anchor']);
    rmSync(`${home.headsLog}.anchors`);
    expect(verdictOf(await audit('verify', '--json')).finding).toBe(null);
    writeFileSync(home.headsLog, memory);
    writeFileSync(home.ledger, ledger);
    cpSync(join(home.root, 'keys'), keys, { recursive: true });
  });

  it('an anchor that cannot be reached from here is counted, and no contradiction', async () => {
    rmSync(file);
    const verified = await audit('verify', '--json');
    expect(verified.code).toBe(0);
    const { anchors } = verdictOf(verified);
    expect(anchors.checked).toBeLessThan(anchors.known);
    expect((await audit('verify')).stdout).toContain('not reachable from here');
  });
});
