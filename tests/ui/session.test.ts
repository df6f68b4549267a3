import { textAt } from '@subluminal/core-types';
import { expect, it } from 'vitest';
import { dataOf, start } from '../gateway/harness.js';
import { opened, page, Page, showCode } from './kit/page.js';

const events = (rows: readonly { tool: unknown; data: object }[]): readonly string[] =>
  rows.flatMap(({ data, tool }) => (tool === 'ui.session' ? [textAt({ ...data }, 'detail', 'event')] : []));

it('a code opens one session; shown again it ends that session, and the record says so', async () => {
  const gateway = await start();
  const operator = await gateway.operator();
  const { code, door } = await opened(operator);
  expect(code).toMatch(/^[A-Za-z0-9_-]{22}$/);
  const first = await showCode(door, code);
  const mine = new Page(door, textAt(first.json, 'token'), textAt(first.json, 'session'));
  expect(mine.token).toMatch(/^[A-Za-z0-9_-]{43}$/);
  const told = mine.listen();
  await told.frame('welcome');
  expect(await showCode(door, code)).toMatchObject({ status: 403, code: 'code_used' });
  expect(await mine.get('/ui/api/state')).toMatchObject({ status: 401, code: 'no_session' });
  await expect(told.frame('bye')).resolves.toMatchObject({ code: 'no_session' });
  expect(await showCode(door, code)).toMatchObject({ status: 403, code: 'code_used' });
  const rows = gateway.rows('action_result');
  expect(events(rows)).toEqual(['begun', 'code_reused']);
  const [pending] = gateway.rows('action_pending').filter(({ tool }) => tool === 'ui.session');
  expect(pending?.data).toMatchObject({ source: `ui:${mine.session}` });
  // Neither code nor token stands in the record or in the log.
  const record = JSON.stringify(gateway.rows());
  expect([record.includes(code), record.includes(mine.token)]).toEqual([false, false]);
});

it('a code is good for a minute, and a guess for nothing', async () => {
  let now = Date.now();
  const gateway = await start({ clock: () => now });
  const operator = await gateway.operator();
  const { code, door } = await opened(operator);
  expect(await showCode(door, 'A'.repeat(22))).toMatchObject({ status: 403, code: 'code_wrong' });
  now += 60_001;
  expect(await showCode(door, code)).toMatchObject({ status: 403, code: 'code_wrong' });
});

it('a token is dead after twelve idle hours, after `ui.end`, and after a restart', async () => {
  let now = Date.now();
  const gateway = await start({ clock: () => now });
  const one = await page(await gateway.operator());
  now += 11 * 3_600_000;
  expect((await one.get('/ui/api/state')).status).toBe(200);
  now += 12 * 3_600_000 + 1;
  expect(await one.get('/ui/api/state')).toMatchObject({ status: 401, code: 'no_session' });
  const operator = await gateway.operator();
  const two = await page(operator);
  expect(dataOf(await operator.request('ui.end', {}))).toEqual({ ended: 1 });
  await opened(operator);
  expect(await two.get('/ui/api/state')).toMatchObject({ status: 401 });
  const three = await page(operator);
  await gateway.restart();
  const again = await opened(await gateway.operator());
  expect(again.door).toEqual(three.door);
  expect(await three.get('/ui/api/state')).toMatchObject({ status: 401, code: 'no_session' });
});

it('a session is kept by a person, and not by what its page asks by itself', async () => {
  let now = Date.now();
  const gateway = await start({ clock: () => now });
  const operator = await gateway.operator();
  const [left, used] = [await page(operator), await page(operator)];
  now += 11 * 3_600_000;
  expect((await left.get('/ui/api/state')).status).toBe(200);
  expect((await used.get('/ui/api/state', { 'subl-person': '1' })).status).toBe(200);
  now += 2 * 3_600_000;
  expect((await left.get('/ui/api/state')).status).toBe(401);
  expect((await used.get('/ui/api/state')).status).toBe(200);
});

it('there are eight sessions at most: for a ninth the longest idle one ends', async () => {
  let now = Date.now();
  const gateway = await start({ clock: () => now });
  const operator = await gateway.operator();
  const pages: Page[] = [];
  for (let at = 0; at < 9; at += 1) {
    now += 10;
    pages.push(await page(operator));
  }
  const codes = await Promise.all(pages.map(async (one) => (await one.get('/ui/api/state')).status));
  expect(codes).toEqual([401, 200, 200, 200, 200, 200, 200, 200, 200]);
});

it('a page leaves', async () => {
  const gateway = await start();
  const mine = await page(await gateway.operator());
  expect((await mine.post('/ui/api/leave', {})).status).toBe(200);
  expect((await mine.get('/ui/api/state')).status).toBe(401);
  expect(events(gateway.rows('action_result'))).toEqual(['begun', 'ended']);
});
