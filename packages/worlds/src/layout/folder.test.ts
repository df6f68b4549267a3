import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { worldFolder } from './folder.js';

let home: string;
beforeAll(() => {
  home = realpathSync(mkdtempSync('/var/tmp/sub-home-'));
  for (const folder of ['.ssh', '.config/editor/.git', 'work/.git', 'work/deep', 'plain'])
    mkdirSync(join(home, folder), { recursive: true });
  symlinkSync(join(home, '.ssh'), join(home, 'work/link'));
});
afterAll(() => rmSync(home, { recursive: true }));

const of = (folder: string): string => worldFolder(join(home, folder), home);

test('the folder of a world is the project around it, or where it starts', () => {
  expect([of('work/deep'), of('plain'), of('.config/editor')]).toEqual([
    join(home, 'work'),
    join(home, 'plain'),
    join(home, '.config/editor'),
  ]);
});

test('a home, and a hidden folder of it that is no project, are the folder of no world', () => {
  for (const folder of ['', '.ssh', '.config', 'work/link'])
    expect(() => of(folder)).toThrow('cannot be the folder of a world');
});
