import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { guardedFiles, guardedIn, madeSince } from './guarded.js';

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync('/var/tmp/sub-guarded-'));
});
afterEach(() => rmSync(root, { recursive: true }));

test('hooks and settings of a repository and its submodules are guarded, and the folders around them', () => {
  for (const folder of ['.git/hooks', '.git/modules/lib/hooks'])
    mkdirSync(join(root, folder), { recursive: true });
  for (const file of ['.git/config', '.git/modules/lib/HEAD', '.mcp.json'])
    writeFileSync(join(root, file), '');
  const { fixed, around } = guardedFiles(root, [], Date.now());
  expect(fixed.map((path) => path.slice(root.length + 1)).toSorted()).toEqual([
    '.git/config',
    '.git/hooks',
    '.git/modules/lib/hooks',
    '.mcp.json',
  ]);
  expect(around.map((path) => path.slice(root.length + 1)).toSorted()).toEqual([
    '.git',
    '.git/modules',
    '.git/modules/lib',
  ]);
});

test('a link of them is guarded where it leads to, and not outside of the project', () => {
  mkdirSync(join(root, 'hooks'));
  symlinkSync('hooks', join(root, '.husky'));
  symlinkSync('/etc', join(root, '.vscode'));
  symlinkSync('nowhere', join(root, '.idea'));
  expect(guardedFiles(root, [], Date.now()).fixed).toEqual([join(root, 'hooks')]);
});

test('one that was not there before is told', () => {
  const before = guardedFiles(root, [], Date.now());
  expect(madeSince(before, root)).toEqual([]);
  writeFileSync(join(root, '.mcp.json'), '');
  mkdirSync(join(root, '.git/hooks'), { recursive: true });
  expect(madeSince(before, root)).toEqual(['.git/hooks', '.mcp.json']);
});

test('one that somebody has freed is written in its folder, as if it were no such file', () => {
  mkdirSync(join(root, '.git/hooks'), { recursive: true });
  writeFileSync(join(root, '.git/config'), '');
  const config = join(root, '.git/config');
  expect(guardedFiles(root, [config], Date.now()).fixed).toEqual([join(root, '.git/hooks')]);
  expect(guardedFiles(root, [config, join(root, 'config')], Date.now()).freed).toEqual([config]);
});

test('submodules whose names have slashes, worktrees, and a link to the repository are guarded', () => {
  for (const folder of ['.git/modules/vendor/lib/hooks', '.git/modules/vendor/lib/modules/in/hooks'])
    mkdirSync(join(root, folder), { recursive: true });
  mkdirSync(join(root, '.git/worktrees/other'), { recursive: true });
  for (const file of [
    '.git/modules/vendor/lib/HEAD',
    '.git/modules/vendor/lib/modules/in/HEAD',
    '.git/worktrees/other/commondir',
  ])
    writeFileSync(join(root, file), '');
  expect(guardedFiles(root, [], Date.now()).fixed.map((path) => path.slice(root.length + 1))).toEqual([
    '.git/modules/vendor/lib/hooks',
    '.git/modules/vendor/lib/modules/in/hooks',
    '.git/worktrees/other/commondir',
  ]);
  rmSync(join(root, '.git'), { recursive: true });
  writeFileSync(join(root, '.git'), 'gitdir: /elsewhere');
  expect(guardedFiles(root, [], Date.now()).fixed).toEqual([join(root, '.git')]);
});

test('another place of its settings that git is led to is told', () => {
  mkdirSync(join(root, '.git'));
  const before = guardedFiles(root, [], Date.now());
  writeFileSync(join(root, '.git/commondir'), '../evil');
  expect(madeSince(before, root)).toEqual(['.git/commondir']);
});

test('a file, or a link to itself, in the place of a folder of theirs is no error', () => {
  writeFileSync(join(root, '.claude'), '');
  symlinkSync('.git', join(root, '.git'));
  const before = guardedFiles(root, [], Date.now() + 1000);
  expect(before.fixed).toEqual([]);
  expect(madeSince(before, root)).toEqual([]);
});

test('of more submodules or worktrees than are looked at, the folder of all is guarded', () => {
  for (let at = 0; at < 300; at += 1) {
    mkdirSync(join(root, `.git/modules/m${at}/hooks`), { recursive: true });
    writeFileSync(join(root, `.git/modules/m${at}/HEAD`), '');
    mkdirSync(join(root, `.git/worktrees/w${at}`), { recursive: true });
  }
  const { fixed } = guardedFiles(root, [], Date.now());
  expect(fixed).toContain(join(root, '.git/modules'));
  expect(fixed).toContain(join(root, '.git/worktrees'));
});

test.each([
  ['other', ['other/.git/config', 'other/.git/hooks', 'other/.mcp.json']],
  ['other/.git', ['other/.git/config', 'other/.git/hooks']],
  ['other/.git/hooks', []],
  ['other/src', []],
  ['bare', ['bare/config', 'bare/hooks']],
  ['bare/refs', []],
])(
  'the guarded files of another project are guarded below `%s`, if a world may write there',
  (path, fixed) => {
    for (const folder of ['mine', 'other/.git/hooks', 'other/src', 'bare/hooks', 'bare/objects', 'bare/refs'])
      mkdirSync(join(root, folder), { recursive: true });
    for (const file of ['other/.git/config', 'other/.mcp.json', 'bare/HEAD', 'bare/config'])
      writeFileSync(join(root, file), '');
    const reach = { folder: join(root, 'mine'), isLayered: true, written: [join(root, path)] };
    const guarded = guardedIn(reach, Date.now());
    expect(guarded.fixed.map((one) => one.slice(root.length + 1)).toSorted()).toEqual(fixed);
    expect(guardedIn({ ...reach, isLayered: false }, Date.now()).fixed).toEqual(guarded.fixed);
  },
);

test('one that a world makes in another project is told by its whole path', () => {
  for (const folder of ['mine', 'other/.git']) mkdirSync(join(root, folder), { recursive: true });
  const written = [join(root, 'other/.git')];
  const before = guardedIn({ folder: join(root, 'mine'), isLayered: true, written }, Date.now());
  writeFileSync(join(root, 'other/.git/commondir'), '');
  expect(madeSince(before, join(root, 'mine'))).toEqual([join(root, 'other/.git/commondir')]);
});
