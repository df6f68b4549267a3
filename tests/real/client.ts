import { describe } from 'vitest';
import { fetchPin, type Pin } from './fetch.mjs';

/** A pinned client that could be fetched. */
export interface RealClient {
  readonly program: string;
}

/** Tests with a real client; where it cannot be had they are skipped, and their title says why. */
export function describeWith(pin: Pin, what: string, tests: (client: RealClient) => void): void {
  const fetched = fetchPin(pin);
  const missing = 'missing' in fetched ? ` (skipped: ${fetched.missing})` : '';
  if (missing !== '') process.stderr.write(`${pin.title}${missing}\n`);
  describe.skipIf(missing !== '')(`${pin.title} ${what}${missing}`, { timeout: 120_000 }, () => {
    tests('program' in fetched ? fetched : { program: '' });
  });
}
