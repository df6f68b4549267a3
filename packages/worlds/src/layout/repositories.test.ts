import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, test } from 'vitest';
import { gitlinksOf, indexOf } from './git-index.js';
import { knownLinks, repositoriesSince } from './repositories.js';

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync('/var/tmp/sub-repositories-'));
});
afterEach(() => rmSync(root, { recursive: true }));

const HASH = '5'.repeat(40);
const env = {
  PATH: '/usr/bin:/bin',
  HOME: '/nonexistent',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: 'a',
  GIT_AUTHOR_EMAIL: 'a@b.test',
  GIT_COMMITTER_NAME: 'a',
  GIT_COMMITTER_EMAIL: 'a@b.test',
};
const git = (...words: readonly string[]): string =>
  execFileSync('git', [...words], { cwd: root, encoding: 'utf8', env, stdio: ['ignore', 'pipe', 'ignore'] });
const link = (path: string, hash = HASH): string =>
  git('update-index', '--add', '--cacheinfo', `160000,${hash},${path}`);
const links = (): unknown => {
  const found = gitlinksOf(indexOf(root) ?? '');
  return found === undefined ? undefined : [...found].toSorted();
};
/** Some files with names that begin alike, as an index of the fourth version cuts them. */
const files = (): void => {
  for (const name of ['a', 'a-file', 'a-file-more', 'b'.repeat(200), 'z'])
    writeFileSync(join(root, name), name);
  git('add', '.');
};
const sleepABit = (): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 30);

describe('the repositories that an index names', () => {
  it.each(['.git', '.git/index'])('are none if `%s` is a pipe that nobody writes', (path) => {
    if (path !== '.git') mkdirSync(join(root, '.git'));
    execFileSync('mkfifo', [join(root, path)]);
    expect(knownLinks(root, 0).links).toEqual(path === '.git' ? new Set() : undefined);
  });

  it.each(['2', '3', '4'])('are found in one of version %s', (version) => {
    git('init', '-q');
    files();
    if (version === '3') git('update-index', '--skip-worktree', 'a');
    for (const path of ['a-file.d', 'sub/deep', `x${'y'.repeat(5000 / 100)}`]) link(path);
    if (version === '4') git('update-index', '--index-version', '4');
    expect(git('ls-files', '--stage').match(/^160000/gm)).toHaveLength(3);
    expect(links()).toEqual(['a-file.d', 'sub/deep', `x${'y'.repeat(50)}`]);
  });

  it('are found where an index tells the changes of another one', () => {
    git('init', '-q');
    files();
    link('below');
    git('update-index', '--split-index');
    link('above');
    expect(links()).toEqual(['above', 'below']);
  });

  it('are found behind longer hashes', () => {
    git('init', '-q', '--object-format=sha256');
    files();
    link('sub', '5'.repeat(64));
    expect(links()).toEqual(['sub']);
  });

  it('are found behind a file that leads to the repository', () => {
    git('init', '-q', '--separate-git-dir', join(root, 'elsewhere'));
    link('sub');
    expect(links()).toEqual(['sub']);
  });

  it('are unknown where the index is none, and none where there is no index', () => {
    expect(indexOf(root)).toBeUndefined();
    git('init', '-q');
    expect(links()).toEqual([]);
    for (const bytes of ['', 'DIRC', `DIRC\0\0\0\x02\xff\xff\xff\xff${'\0'.repeat(200)}`, 'DIRC\0\0\0\x09']) {
      writeFileSync(join(root, '.git/index'), bytes, 'latin1');
      expect(links()).toBeUndefined();
    }
  });

  it('are none outside of the project', () => {
    git('init', '-q');
    link('sub');
    const index = join(root, '.git/index');
    const text = execFileSync('cat', [index]).toString('latin1').replace('sub\0', '../\0');
    writeFileSync(index, text, 'latin1');
    expect(links()).toEqual([]);
  });
});

test('repositories that were made since, as folders, as files and without files, are told', () => {
  for (const folder of ['old', 'node_modules/x', 'deep/er'])
    mkdirSync(join(root, folder), { recursive: true });
  git('init', '-q', 'old');
  sleepABit();
  const known = knownLinks(root, Date.now());
  expect(repositoriesSince(root, known)).toEqual([]);
  sleepABit();
  git('init', '-q', 'node_modules/x');
  git('init', '-q', '--bare', 'deep/bare');
  writeFileSync(join(root, 'deep/er/.git'), 'gitdir: /elsewhere');
  const noText = Buffer.concat([Buffer.from(`${root}/f`), Buffer.from([0xff])]);
  mkdirSync(noText);
  writeFileSync(Buffer.concat([noText, Buffer.from('/.git')]), 'gitdir: /elsewhere');
  expect(repositoriesSince(root, known).toSorted()).toEqual([
    'deep/bare',
    'deep/er/.git',
    'f\ufffd/.git',
    'node_modules/x/.git',
  ]);
});

test('an old repository is told when its settings or a hook are others, and not when it is worked with', () => {
  git('init', '-q', 'old');
  writeFileSync(join(root, 'old/.git/hooks/pre-push'), 'exit 0');
  sleepABit();
  const known = knownLinks(root, Date.now());
  sleepABit();
  writeFileSync(join(root, 'old/file'), '');
  git('-C', 'old', 'add', '.');
  git('-C', 'old', 'commit', '-qm', 'one');
  expect(repositoriesSince(root, known)).toEqual([]);
  writeFileSync(join(root, 'old/.git/hooks/pre-push'), 'evil');
  expect(repositoriesSince(root, known)).toEqual(['old/.git']);
  const later = knownLinks(root, Date.now() + 30);
  sleepABit();
  sleepABit();
  git('-C', 'old', 'config', 'core.fsmonitor', 'evil');
  expect(repositoriesSince(root, later)).toEqual(['old/.git']);
});

test('a repository that the index names is told wherever it is, and the new name of an old one', () => {
  git('init', '-q');
  const far = Array.from({ length: 1100 }, (_, at) => `d${at}`);
  for (const name of far) mkdirSync(join(root, name));
  mkdirSync(join(root, 'zz/deep/down'), { recursive: true });
  git('init', '-q', 'old');
  link('zz/deep/down');
  sleepABit();
  const known = knownLinks(root, Date.now());
  sleepABit();
  git('init', '-q', 'zz/deep/down');
  git('init', '-q', 'zz/deep/unseen');
  link('old');
  expect(repositoriesSince(root, known)).toEqual(['old', 'zz/deep/down/.git']);
});

test('an index that cannot be read any more is told, and an old one that could not is not', () => {
  git('init', '-q');
  const index = join(root, '.git/index');
  writeFileSync(index, 'none');
  sleepABit();
  const known = knownLinks(root, Date.now());
  expect(repositoriesSince(root, known)).toEqual([]);
  sleepABit();
  writeFileSync(index, 'another');
  expect(repositoriesSince(root, known)).toEqual(['.git/index']);
});

test('of a folder that was given the name of a repository later its new parts are told', () => {
  git('init', '-q', '--bare', 'x');
  renameSync(join(root, 'x/refs'), join(root, 'x/sfer'));
  sleepABit();
  const known = knownLinks(root, Date.now());
  sleepABit();
  renameSync(join(root, 'x/sfer'), join(root, 'x/refs'));
  writeFileSync(join(root, 'x/config'), '[core]\nfsmonitor = evil\n');
  mkdirSync(join(root, 'sub'));
  renameSync(join(root, 'x'), join(root, 'sub/.git'));
  expect(repositoriesSince(root, known)).toEqual(['sub/.git']);
});
