import { describe, expect, it } from 'vitest';
import type { ExpiryReport } from '@subluminal/ledger';
import type { Logger } from '../logging/logger.js';
import { Retention } from './retention.js';

const report = (heldUpBy: ExpiryReport['heldUpBy']): ExpiryReport => ({
  expired: null,
  deleted: 0,
  heldUpBy,
  settled: true,
});

describe('previews behind a closed file that is not there', () => {
  it('are told of in the log, once for each file', async () => {
    const first = { from: 1, to: 1, first: 1, last: 9 };
    const second = { from: 2, to: 2, first: 10, last: 19 };
    const reports = [first, first, null, first, second].map(report);
    const warned: unknown[] = [];
    const none = (): void => undefined;
    const log: Logger = {
      debug: none,
      info: none,
      error: none,
      warn: (_message, facts) => warned.push(facts),
    };
    const ledger = { expirePreviews: () => Promise.resolve(reports.shift() ?? report(null)) };
    const retention = new Retention({ ledger, clock: () => 0, log, days: 30 });
    for (const _ of [1, 2, 3, 4, 5]) await retention.look();
    expect(warned).toEqual([
      { missing: '`1-1-9.db`' },
      { missing: '`1-1-9.db`' },
      { missing: '`2-10-19.db`' },
    ]);
  });
});
