import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { after, start } from '../gateway/harness.js';

const START = Date.parse('2026-01-02T03:04:05.000Z');
const HOUR = 3_600_000;

/** A gateway whose clock the test moves, and what its operator asks of a service under two names. */
async function prepared(config: string) {
  let now = START;
  const resolver = { resolve: () => Promise.resolve(['127.0.0.1']) };
  const world = await start({ config, clock: () => now, resolver });
  const server = createServer(
    (request, response) => void request.resume().on('end', () => response.end('{}')),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  after(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const operator = await world.operator();
  for (const host of ['one.example', 'two.example'])
    await operator.request('allow.add', { host, port, allow_private: true });
  const get = (host: string) =>
    operator.request('service.api_call', {
      service: 'label',
      endpoint: `http://${host}:${port}/`,
      method: 'GET',
    });
  const statuses = async (times: number, host = 'one.example') => {
    const found: string[] = [];
    for (let n = 0; n < times; n += 1) found.push((await get(host)).status);
    return found;
  };
  return { get, statuses, rows: world.rows, pass: (ms: number) => (now += ms) };
}

const QUIET = '[anomaly]\nburst = "off"\nnew_domain = "off"\nlarge_payload = "off"\n';

it('actions pass within the limit of their kind, one more does not, and they pass again when the hour is over', async () => {
  const { get, statuses, pass } = await prepared(`${QUIET}[rate_limits.actions]\n"service.api_call" = 3\n`);
  expect(await statuses(4)).toEqual(['success', 'success', 'success', 'rate_limited']);
  pass(HOUR / 2);
  const { error } = await get('one.example');
  expect(error?.details?.['retry_after_ms']).toBe(HOUR / 2);
  pass(HOUR / 2);
  expect(await statuses(3)).toEqual(['success', 'success', 'success']);
});

it('actions of all kinds together are so many an hour and no more', async () => {
  const { get, statuses, pass } = await prepared(`${QUIET}[rate_limits]\nglobal = 2\n`);
  expect(await statuses(3)).toEqual(['success', 'success', 'rate_limited']);
  expect((await get('one.example')).error?.message).toContain('all actions together');
  pass(HOUR);
  expect(await statuses(2)).toEqual(['success', 'success']);
});

it('the first request to a place that was just allowed is recorded as unusual, and goes on', async () => {
  const { statuses, rows } = await prepared('[anomaly]\nnew_domain = "flag"\n');
  const found: number[] = [];
  for (const host of ['one.example', 'one.example', 'two.example']) {
    expect(await statuses(1, host)).toEqual(['success']);
    found.push(rows('anomaly').length);
  }
  expect(found).toEqual([1, 1, 2]);
});
