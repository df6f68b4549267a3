import { expect, it } from 'vitest';
import { page, pagerOf } from './program.js';

const PATH = process.env['PATH'] ?? '';

it.each([
  [{ SUB_PAGER: 'head -n 3', PAGER: 'tail' }, ['head', '-n', '3']],
  [{ PAGER: 'tail' }, ['tail']],
  [{ SUB_PAGER: '', PAGER: 'tail' }, undefined],
  [{ PAGER: 'cat' }, undefined],
  [{ PAGER: 'no-program-of-that-name' }, undefined],
  [{ PAGER: './head' }, undefined],
])('the pager of %j is %j', (env, named) => {
  const [path, ...args] = pagerOf({ PATH, ...env }) ?? [];
  expect(path === undefined ? undefined : [path.split('/').at(-1), ...args]).toEqual(named);
});

it('the pager is looked for in absolute folders alone, and not in the one that somebody works in', () => {
  expect(pagerOf({ PATH: '.:bin::', PAGER: 'head' })).toBeUndefined();
  expect(pagerOf({ PATH: `.:${PATH}`, PAGER: 'head' })?.[0]).toMatch(/^\//);
});

it.each([
  ['ends well', ['/bin/sh', '-c', 'cat >/dev/null'], true],
  ['is left early', ['/bin/sh', '-c', 'exit 0'], true],
  ['fails', ['/bin/sh', '-c', 'exit 3'], false],
  ['dies', ['/bin/sh', '-c', 'kill -9 $$'], false],
  ['is not there', ['/nonexistent/pager'], false],
])('whether a text was shown is known of a pager that %s', async (_what, program, isShown) => {
  expect(await page(program, 'line\n'.repeat(100_000), { PATH })).toBe(isShown);
});
