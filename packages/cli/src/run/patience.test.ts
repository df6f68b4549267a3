import { SublError } from '@subluminal/core-types';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { patiently } from './patience.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const turnedAway = (details?: { readonly absent: boolean }): SublError =>
  new SublError('gateway_unreachable', 'broke', details === undefined ? {} : { details });

async function attempts(error: SublError, failing: number): Promise<[number, unknown]> {
  let count = 0;
  const work = async (): Promise<string> => {
    count += 1;
    if (count <= failing) throw error;
    return 'through';
  };
  const outcome = (async (): Promise<unknown> => {
    try {
      return await patiently(work);
    } catch (thrown) {
      return thrown;
    }
  })();
  await vi.runAllTimersAsync();
  return [count, await outcome];
}

it('comes back where the gateway turned it away, and not for ever', async () => {
  expect(await attempts(turnedAway(), 3)).toEqual([4, 'through']);
  const error = turnedAway();
  expect(await attempts(error, 100)).toEqual([6, error]);
});

it('does not wait where there is no gateway, or for what was refused', async () => {
  const absent = turnedAway({ absent: true });
  expect(await attempts(absent, 100)).toEqual([1, absent]);
  const refused = new SublError('handshake_refused', 'no');
  expect(await attempts(refused, 100)).toEqual([1, refused]);
});
