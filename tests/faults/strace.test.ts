import { beforeAll, describe, expect, it } from 'vitest';
import { inPairs, shardOf } from './kit/cases.js';
import { INJECTIONS, runTraced, traceRun, whyNoStrace, type TracedCall } from './kit/strace.js';

const isLong = process.env['SUB_LONG'] === '1';
const missing = whyNoStrace();

/** One call of each kind that matters, for `npm test`. */
const TYPICAL = [
  ['pwrite64 /h/ledger.db-wal', 'error=ENOSPC'],
  ['fsync /h/ledger.db-wal', 'signal=SIGKILL'],
  ['link /h/ledger.db', 'signal=SIGKILL'],
  ['fsync /state/heads.log', 'error=EIO'],
] as const;

describe.skipIf(missing !== undefined)(
  `a short run under strace${missing === undefined ? '' : ` (not here: ${missing})`}`,
  () => {
    let calls: TracedCall[];
    beforeAll(async () => {
      calls = await traceRun();
    }, 120_000);

    it('survives an error or a kill at every system call that changes a file', async () => {
      const named = new Map(calls.toReversed().map((one) => [`${one.call} ${one.path}`, one]));
      const work = isLong
        ? shardOf(calls.flatMap((one) => INJECTIONS.map((injection) => [one, injection] as const)))
        : TYPICAL.flatMap(([name, injection]) => {
            const one = named.get(name);
            return one === undefined ? [] : [[one, injection] as const];
          });
      const failures: string[] = [];
      let died = 0;
      await inPairs(work, async ([one, injection]) => {
        const result = await runTraced(one, injection);
        if (result.died !== undefined) died += 1;
        if (result.wrong.length > 0)
          failures.push(`${one.call} ${one.path} #${one.nth} ${injection}: ${result.wrong.join('; ')}`);
      });
      if (isLong)
        console.log(
          `strace: ${calls.length} calls, ${work.length} cases, ${died} ended the gateway, ${failures.length} failures`,
        );
      expect(failures).toEqual([]);
      expect(work.length).toBeGreaterThanOrEqual(TYPICAL.length);
      // A kill that kills nobody would show that nothing is injected.
      expect(died).toBeGreaterThanOrEqual(2);
    }, 14_400_000);
  },
);
