import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { toolchains } from './toolchains.js';

let home: string;
beforeAll(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'sub-home-')));
});
afterAll(() => rmSync(home, { recursive: true }));

/** The folders that a world sees for a PATH of these folders of the home. */
function shown(...folders: readonly string[]): string[] {
  for (const folder of folders) mkdirSync(join(home, folder), { recursive: true });
  const path = folders.map((folder) => join(home, folder)).join(':');
  return toolchains(path, home, [join(home, 'project')]).map((one) => one.path.slice(home.length + 1));
}

test('of a version manager the folder above its programs is shown', () => {
  expect(shown('.nvm/versions/node/v20/bin', '.local/share/mise/installs/go/1/bin', '.bun/bin')).toEqual([
    '.nvm/versions/node/v20',
    '.local/share/mise/installs/go/1',
    '.bun',
  ]);
});

test('of a folder that holds anything else only the programs are shown', () => {
  const all = [
    '.fly/bin',
    '.docker/bin',
    '.cargo/bin',
    'bin',
    '.local/bin',
    '.config/gcloud/bin',
    'work/bin',
  ];
  expect(shown(...all)).toEqual(all);
});

test('a folder that is not called as one of programs is not shown', () => {
  expect(shown('.ssh', '.aws', '.config', '.nvm/versions')).toEqual([]);
  expect(toolchains(`${home}/.aws/../.ssh`, home, [])).toEqual([]);
});

test('a link that is called as one of programs shows no other folder', () => {
  mkdirSync(join(home, 'other'), { recursive: true });
  symlinkSync(join(home, '.ssh'), join(home, 'other/bin'));
  expect(shown('other/bin')).toEqual([]);
});

test('what stands in the folder of the world keeps its rights', () => {
  expect(shown('project/node_modules/.bin')).toEqual([]);
});
