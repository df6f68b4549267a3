import { realpath } from 'node:fs/promises';
import { NO_KEYS } from '@subluminal/readings';
import { expect, it } from 'vitest';
import { CallObjects } from './call-objects.js';
import type { ResolvePath } from '../lookup/nearest.js';

const CALL = { server: 'fs', tool: 'read_file', args: { path: 'a/../b' }, keys: NO_KEYS };

function objectsOn(resolve: ResolvePath): CallObjects {
  return new CallObjects({ home: '/home/dev', tmp: '/tmp', resolve, serverFolders: () => [] });
}

it('the project is the nearest folder with a mark, and a path counts as its links lead', async () => {
  const there = new Map([
    ['/work/shop/.git', '/work/shop/.git'],
    // The file system follows the link before it goes up.
    ['/work/shop/src/a/../b', '/home/dev/.ssh/b'],
  ]);
  const objects = objectsOn((path) => Promise.resolve(there.get(path)));
  const { place, paths, unread } = await objects.inFolder('/work/shop/src', CALL);
  expect([place.project, unread.path]).toEqual(['/work/shop', null]);
  expect(paths.flatMap(({ forms }) => forms)).toEqual(
    expect.arrayContaining(['/work/shop/src/b', '/home/dev/.ssh/b']),
  );
});

it('an answer that is there after a long turn of the loop is not late', async () => {
  const from = performance.now();
  const objects = objectsOn((path) => {
    const answer = realpath('/');
    // The loop is busy until long after the answer is there, and hears of it in its next turn.
    while (performance.now() - from < 1200);
    return answer.then(() => (path === '/work/.git' ? path : undefined));
  });
  expect((await objects.inFolder('/work', CALL)).place.project).toBe('/work');
});

it.each<[string, ResolvePath]>([
  ['never answers', () => new Promise<never>(() => {})],
  ['fails', () => Promise.reject(new Error('EIO'))],
])(
  'a file system that %s holds up no call, gives no project and leaves its paths unread',
  async (_, resolve) => {
    const { place, unread } = await objectsOn(resolve).inFolder('/work/shop', CALL);
    expect([place.project, unread.path]).toEqual([undefined, 'the file system did not answer in time']);
  },
);
