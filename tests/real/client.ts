import { describe } from 'vitest';
import { fetchPin, newestOf, type Pin } from './fetch.mjs';

/** A pinned client that could be fetched. */
export interface RealClient {
  readonly program: string;
}

/**
 * Tests with a real client; where it cannot be had they are skipped, and their title says why. In the long
 * form once more with its newest release, where that is another.
 */
export function describeWith(pin: Pin, what: string, tests: (client: RealClient) => void): void {
  describeOne(pin, what, tests);
  const newest = process.env['SUB_LONG'] === undefined ? undefined : newestOf(pin);
  if (newest !== undefined) describeOne(newest, `(the newest, ${newest.packages[0]}) ${what}`, tests);
}

function describeOne(pin: Pin, what: string, tests: (client: RealClient) => void): void {
  const fetched = fetchPin(pin);
  const missing = 'missing' in fetched ? ` (skipped: ${fetched.missing})` : '';
  if (missing !== '') process.stderr.write(`${pin.title}${missing}\n`);
  describe.skipIf(missing !== '')(`${pin.title} ${what}${missing}`, { timeout: 120_000 }, () => {
    tests('program' in fetched ? fetched : { program: '' });
  });
}
