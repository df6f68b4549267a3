import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isSameIndex } from './git-index.js';

describe.each([
  [2, 'sha1'],
  [4, 'sha1'],
  [2, 'sha256'],
])('an index of version %i with %s', (version, format) => {
  let folder: string;
  const git = (...words: readonly string[]): string =>
    execFileSync('git', ['-c', `index.version=${version}`, ...words], {
      cwd: folder,
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], HOME: folder, GIT_CONFIG_NOSYSTEM: '1' },
    });
  const index = (): Buffer => readFileSync(join(folder, '.git/index'));
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'sub-index-'));
    git('init', '-q', `--object-format=${format}`);
    mkdirSync(join(folder, 'long-folder'));
    for (const name of ['a', 'b', 'long-folder/one', 'long-folder/other'])
      writeFileSync(join(folder, name), `${name}\n`);
    git('add', '.');
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('is the same when git has looked at its files again', () => {
    const before = index();
    expect(before.readUInt32BE(4)).toBe(version);
    utimesSync(join(folder, 'long-folder/one'), 1_000_000_000, 1_000_000_000);
    git('status');
    expect([before.equals(index()), isSameIndex(before, index())]).toEqual([false, true]);
  });

  it.each([
    ['a file is added', () => git('add', '-f', '--chmod=+x', 'b')],
    ['another content is added', () => (writeFileSync(join(folder, 'b'), 'x'), git('add', 'b'))],
    ['a file is taken to be unchanged', () => git('update-index', '--assume-unchanged', 'b')],
    ['a file has another mode', () => (chmodSync(join(folder, 'b'), 0o755), git('add', 'b'))],
    ['a name is another one', () => git('mv', 'b', 'c')],
  ])('is another one when %s', (_what, change) => {
    const before = index();
    change();
    expect(isSameIndex(before, index())).toBe(false);
  });
});

it('is told of no bytes that are none', () => {
  const bytes = Buffer.from('DIRC\0\0\0\x02\0\0\0\x01'.padEnd(200, 'x'), 'latin1');
  expect([isSameIndex(bytes, bytes), isSameIndex(Buffer.alloc(0), Buffer.alloc(0))]).toEqual([false, false]);
});
