import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { inTime } from '@subluminal/gateway';
import { projectSight } from './wings/projects.js';
import { realPathOf } from './real-path.js';

let root: string;
const at = (...names: readonly string[]): string => join(root, ...names);
beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'sub-real-')));
  mkdirSync(at('folder', 'gone (deleted)'), { recursive: true });
  writeFileSync(at('folder', 'file'), '');
  symlinkSync(at('folder'), at('link'));
  symlinkSync('link/file', at('to-file'));
  execFileSync('mkfifo', [at('pipe')]);
});
// Node's own removal does not get to the end of folders that lie so deep.
afterAll(() => void execFileSync('rm', ['-rf', root]));

it('a path is told as its links lead, and opens nothing', async () => {
  for (const name of [
    '.',
    'folder',
    'link',
    'link/file',
    'to-file',
    'pipe',
    'link/..',
    'link/gone (deleted)',
  ])
    expect(await realPathOf(`${root}/${name}`)).toBe(realpathSync(at(name)));
  expect(await realPathOf('/dev/null')).toBe('/dev/null');
});

it('a path that leads nowhere is told as the system tells it', async () => {
  symlinkSync('circle', at('circle'));
  for (const [name, code] of [
    ['none', 'ENOENT'],
    ['folder/file/none', 'ENOTDIR'],
    ['circle', 'ELOOP'],
    ['n'.repeat(300), 'ENAMETOOLONG'],
  ] as const)
    await expect(realPathOf(`${root}/${name}`)).rejects.toMatchObject({ code });
});

it('a folder that links lead to again and again, far down, holds up no other run', async () => {
  const deep = at(...Array.from({ length: 1900 }, () => 'd'));
  mkdirSync(deep, { recursive: true });
  for (let nth = 0; nth < 38; nth += 1)
    symlinkSync(nth === 0 ? deep : join(deep, `l${nth - 1}`), join(deep, `l${nth}`));
  const sight = projectSight();
  const [far, near] = [sight.resolve(join(deep, 'l37')), inTime(() => sight.resolve(root))];
  expect(await near).toBe(root);
  expect(await far).toBe(deep);
}, 60_000);
