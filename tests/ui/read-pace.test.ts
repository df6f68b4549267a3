import { Agent, request } from 'node:http';
import { expect, it } from 'vitest';
import { start } from '../gateway/harness.js';
import { type Page, page, placeOf } from './kit/page.js';

/** A read that takes the reader no time to speak of: it costs the least that a read costs. */
const CHEAP = '/ui/api/at?ts=0';
/** A minute of reading, 5 ms each at least. */
const MOST = 12_000;
/** Connections that stay open, fewer than a session may ask by at once. */
const AT_ONCE = 4;

/** Asks one after the other by each of some connections until it is told another status than 200. */
async function readsUntilRefused({ door, headers }: Page): Promise<{ reads: number; status: number }> {
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
  const once = (): Promise<number> =>
    new Promise((resolve, reject) => {
      const where = { host: '127.0.0.1', port: door.port, path: CHEAP, agent };
      request({ ...where, headers: { host: placeOf(door), ...headers } }, (response) => {
        response.resume().once('end', () => resolve(response.statusCode ?? 0));
      })
        .once('error', reject)
        .end();
    });
  let [reads, refused] = [0, 0];
  const ask = async (): Promise<void> => {
    while (refused === 0 && reads <= MOST + AT_ONCE) {
      const status = await once();
      if (status === 200) reads += 1;
      else refused = status;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, ask));
  agent.destroy();
  return { reads, status: refused };
}

it('a page that reads without end is told to come again, another one is answered, and it is, too, later', async () => {
  let now = Date.now();
  const gateway = await start({ clock: () => now });
  const operator = await gateway.operator();
  const [greedy, other] = [await page(operator), await page(operator)];
  const { reads, status } = await readsUntilRefused(greedy);
  expect(status).toBe(429);
  // The others were under way as the last of the time was used up.
  expect(reads).toBeLessThan(MOST + AT_ONCE);
  for (const path of [CHEAP, '/ui/api/runs', '/ui/api/state'])
    expect(await greedy.get(path)).toMatchObject({
      status: 429,
      json: {
        error: {
          code: 'too_many',
          message: 'this page reads more than it may',
          help: 'ask again in a while',
        },
      },
    });
  expect((await other.get('/ui/api/runs')).status).toBe(200);
  // A change reads nothing.
  expect((await greedy.post('/ui/api/lock', {})).status).toBe(200);
  now += 2000;
  expect((await greedy.get('/ui/api/runs')).status).toBe(200);
}, 240_000);
