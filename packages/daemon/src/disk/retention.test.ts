import { describe, expect, it } from 'vitest';
import type { ExpiryReport } from '@subluminal/ledger';
import type { Logger } from '@subluminal/gateway';
import { Retention } from './retention.js';

const NOTHING: ExpiryReport = { expired: null, deleted: 0, heldUpBy: null, unreadable: [], settled: true };

/** What the log is warned of by one look for each report. */
async function warnings(reports: readonly Partial<ExpiryReport>[]): Promise<unknown[]> {
  const warned: unknown[] = [];
  const none = (): void => undefined;
  const log: Logger = {
    debug: none,
    info: none,
    error: none,
    warn: (_message, facts) => warned.push(facts),
  };
  const left = [...reports];
  const ledger = { expirePreviews: () => Promise.resolve({ ...NOTHING, ...left.shift() }) };
  const retention = new Retention({ ledger, clock: () => 0, log, days: () => 30 });
  for (const _ of reports) await retention.look();
  return warned;
}

describe('previews behind a closed file that is not there', () => {
  it('are told of in the log, once for each file', async () => {
    const first = { from: 1, to: 1, first: 1, last: 9 };
    const second = { from: 2, to: 2, first: 10, last: 19 };
    const reports = [first, first, null, first, second].map((heldUpBy) => ({ heldUpBy }));
    expect(await warnings(reports)).toEqual([
      { missing: '`1-1-9.db`' },
      { missing: '`1-1-9.db`' },
      { missing: '`2-10-19.db`' },
    ]);
  });
});

describe('a closed file that cannot be read', () => {
  it('is named in the log once, not with each look', async () => {
    const [one, other] = ['1-1-9.db', '2-10-19.db'];
    const reports = [[one], [one], [one, other], [other], [], [one]].map((unreadable) => ({ unreadable }));
    expect(await warnings(reports)).toMatchObject([
      { file: `\`${one}\`` },
      { file: `\`${other}\`` },
      { file: `\`${one}\`` },
    ]);
  });
});
