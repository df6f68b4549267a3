import { textAt } from '@subluminal/core-types';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createHome, type TestHome } from '../harness/home.js';
import { runSub } from '../harness/resident.js';
import { ask, type Door, Page, showCode } from './kit/page.js';
import { untilFree } from './kit/free-port.js';

let home: TestHome;
beforeAll(() => {
  home = createHome();
});
afterAll(() => home.remove());

const sub = (...args: string[]) => runSub(args, { env: { PATH: process.env['PATH'], SUB_HOME: home.home } });

async function address(): Promise<{ readonly door: Door; readonly code: string }> {
  const { stdout } = await untilFree(
    () => sub('ui', '--json'),
    (done) => done.stdout + done.stderr,
  );
  const [, host = '', port, code = ''] =
    /^http:\/\/([0-9a-f]{16}\.localhost):([0-9]+)\/ui\/#c=([A-Za-z0-9_-]{22})$/.exec(
      textAt(JSON.parse(stdout), 'address'),
    ) ?? [];
  return { door: { host, port: Number(port) }, code };
}

it('`sub ui` starts what does not run, prints an address that opens one session, and starts nothing twice', async () => {
  const first = await address();
  const again = await address();
  expect(again.door).toEqual(first.door);
  expect(again.code).not.toBe(first.code);
  const { json, status } = await showCode(first.door, first.code);
  expect(status).toBe(200);
  const page = new Page(first.door, textAt(json, 'token'), textAt(json, 'session'));
  expect((await page.get('/ui/api/state')).json).toMatchObject({ home: home.home, access: 'full' });
  const digits = textAt(JSON.parse((await sub('ui', 'unlock', '--json')).stdout), 'code');
  expect((await page.post('/ui/api/unlock', { code: digits })).status).toBe(200);
  expect(await sub('ui', '--no-open')).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^http.*\n$/),
  });
  expect(JSON.parse((await sub('ui', 'end', '--json')).stdout)).toEqual({ ended: 1 });
  await expect(ask(first.door, 'GET', '/ui/')).rejects.toThrow('ECONNREFUSED');
  expect((await address()).door).toEqual(first.door);
});

it.each([
  ['ui', 'lock'],
  ['ui', 'unlock', '--end'],
])('`sub %s %s` with what it does not know is refused', async (...args) => {
  expect(await sub(...args)).toMatchObject({ code: 2, stdout: '' });
});

it.each(['open', 'unlock', 'end'])('`sub help ui %s` says how it is used', async (deed) => {
  const { code, stdout } = await sub('help', 'ui', deed);
  expect([code, stdout.split('\n')[0]]).toEqual([0, `Usage: sub ui ${deed} [options]`]);
});
