import { expect, test } from 'vitest';
import { connectionBounds, openFileLimit } from './open-files.js';

const MOST = {
  unauthenticated: 64,
  connections: 1024,
  http: 2048,
  exchanges: 1536,
  runExchanges: 256,
  strangers: 1024,
  guests: 1024,
};

test('bounds are what is configured where there is no limit, or a high one', () => {
  expect(connectionBounds(undefined, MOST)).toEqual(MOST);
  expect(connectionBounds(1_048_576, MOST)).toEqual(MOST);
});

test.each([256, 1024, 4096, 10_000])(
  'with %d open files all connections together leave room for the gateway',
  (limit) => {
    const bounds = connectionBounds(limit, MOST);
    const { unauthenticated, connections, http, exchanges, strangers, guests } = bounds;
    expect(unauthenticated + connections + http + exchanges + strangers + 2 * guests).toBeLessThanOrEqual(
      limit - 48,
    );
    for (const [name, bound] of Object.entries(bounds)) {
      expect(bound).toBeGreaterThan(name === 'connections' ? 31 : 5);
      expect(bound).toBeLessThanOrEqual(MOST[name as keyof typeof MOST]);
    }
  },
);

test('with 1,024 open files each has its part', () => {
  expect(connectionBounds(1024, MOST)).toEqual({
    unauthenticated: 61,
    connections: 183,
    http: 244,
    exchanges: 122,
    runExchanges: 30,
    strangers: 122,
    guests: 61,
  });
});

test.skipIf(process.platform !== 'linux')('the limit of this process is read from the system', () => {
  expect(openFileLimit()).toBeGreaterThan(0);
});
