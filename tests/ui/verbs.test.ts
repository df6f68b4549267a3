import { textAt } from '@subluminal/core-types';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createHome, type TestHome } from '../harness/home.js';
import { runSub } from '../harness/resident.js';
import { ask, Page, showCode } from './kit/page.js';

let home: TestHome;
beforeAll(() => {
  home = createHome();
});
afterAll(() => home.remove());

const sub = (...args: string[]) => runSub(args, { env: { PATH: process.env['PATH'], SUB_HOME: home.home } });

async function address(): Promise<{ readonly port: number; readonly code: string }> {
  const { stdout } = await sub('ui', '--json');
  const [, port, code = ''] =
    /^http:\/\/127\.0\.0\.1:([0-9]+)\/ui\/#c=([A-Za-z0-9_-]{22})$/.exec(
      textAt(JSON.parse(stdout), 'address'),
    ) ?? [];
  return { port: Number(port), code };
}

it('`sub ui` starts what does not run, prints an address that opens one session, and starts nothing twice', async () => {
  const first = await address();
  const again = await address();
  expect(again.port).toBe(first.port);
  expect(again.code).not.toBe(first.code);
  const { json, status } = await showCode(first.port, first.code);
  expect(status).toBe(200);
  const page = new Page(first.port, textAt(json, 'token'), textAt(json, 'session'));
  expect((await page.get('/ui/api/state')).json).toMatchObject({ home: home.home, access: 'full' });
  const digits = textAt(JSON.parse((await sub('ui', 'unlock', '--json')).stdout), 'code');
  expect((await page.post('/ui/api/unlock', { code: digits })).status).toBe(200);
  expect(await sub('ui', '--no-open')).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^http.*\n$/),
  });
  expect(JSON.parse((await sub('ui', '--end', '--json')).stdout)).toEqual({ ended: 1 });
  await expect(ask(first.port, 'GET', '/ui/')).rejects.toThrow('ECONNREFUSED');
  expect((await address()).port).toBe(first.port);
});

it.each([
  ['ui', 'lock'],
  ['ui', 'unlock', '--end'],
])('`sub %s %s` with what it does not know is refused', async (...args) => {
  expect(await sub(...args)).toMatchObject({ code: 2, stdout: '' });
});
