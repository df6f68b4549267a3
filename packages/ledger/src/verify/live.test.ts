import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { beginCall, endCall, openInThread, runEnd, runStart, Scratch } from '../../testing/scratch.js';
import { verifyLedger } from '../index.js';

describe('verifying while a gateway writes', () => {
  it('raises no false alarm, and is ok where it is told that a gateway runs', async () => {
    const scratch = new Scratch();
    scratch.create();
    const ledger = await scratch.open({}, openInThread);
    const stop = new AbortController();
    const actor = async (runId: string): Promise<void> => {
      for (let call = 0; !stop.signal.aborted; call += 1) {
        const begun = await ledger.append(beginCall(`${runId}-${call >> 3}`, `call-${call}`));
        if (!begun.ok) throw new Error(begun.conflict);
        await ledger.append({
          entries: [endCall(`${runId}-${call >> 3}`, `call-${call}`, begun.entries[1]?.seq ?? 0)],
        });
        if (call % 8 === 7) await ledger.append({ entries: [runEnd(`${runId}-${call >> 3}`)] });
      }
    };
    const actors = ['a', 'b', 'c', 'd'].map(actor);
    const verdicts: string[] = [];
    await expect.poll(() => ledger.head().seq).toBeGreaterThan(200);
    for (let round = 0; round < 40; round += 1) {
      const report = await verifyLedger(scratch.path, { headsLog: scratch.headsLog, live: true });
      verdicts.push(report.finding === null ? report.verdict : JSON.stringify(report.finding));
    }
    stop.abort();
    await Promise.all(actors);
    await ledger.close();
    expect(new Set(verdicts)).toEqual(new Set(['ok']));
    expect(await scratch.verify()).toMatchObject({ verdict: 'ok', open: 0 });
    scratch.remove();
  });

  it('raises none while the ledger goes on in other files', async () => {
    const scratch = new Scratch();
    scratch.create();
    const ledger = await scratch.open({ segmentBytes: 1 });
    const stop = new AbortController();
    const write = async (runId: string): Promise<void> => {
      for (let call = 0; !stop.signal.aborted; call += 1) {
        const run = `${runId}-${call >> 5}`;
        if (call % 32 === 0) await ledger.append({ entries: [runStart(run)] });
        const calls = await Promise.all(
          Array.from({ length: 40 }, (_, at) => ledger.append(beginCall(run, `call-${call}-${at}`))),
        );
        await Promise.all(
          calls.map((begun, at) =>
            ledger.append({
              entries: [endCall(run, `call-${call}-${at}`, begun.ok ? (begun.entries[1]?.seq ?? 0) : 0)],
            }),
          ),
        );
        if (call % 32 === 31) await ledger.append({ entries: [runEnd(run)] });
      }
    };
    const writing = Promise.all(['a', 'b'].map(write));
    const found: string[] = [];
    const files: number[] = [];
    while (new Set(files).size < 4 && files.length < 200) {
      const report = await verifyLedger(scratch.path, {
        headsLog: scratch.headsLog,
        live: true,
      });
      found.push(report.finding === null ? report.verdict : JSON.stringify(report.finding));
      files.push(report.segments.verified);
      // Who reads without a pause keeps it in its file.
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    stop.abort();
    await writing;
    await ledger.close();
    expect(new Set(found.filter((verdict, at) => verdict !== 'unproven' || (files[at] ?? 0) > 1))).toEqual(
      new Set(['ok']),
    );
    expect(new Set(files).size).toBeGreaterThan(3);
    expect(await scratch.verify()).toMatchObject({ verdict: 'ok', open: 0 });
    scratch.remove();
  }, 120_000);

  it('is unproven for entries behind the head where no gateway runs', async () => {
    const scratch = new Scratch();
    scratch.create();
    const ledger = await scratch.open();
    // The clock stands still, so that the second commit is not due for a head.
    scratch.nowMs = 0;
    await ledger.append({ entries: [runEnd('r')] });
    const headsLog = join(scratch.folder, 'heads.copy');
    copyFileSync(scratch.headsLog, headsLog);
    await ledger.append(beginCall('s', 'call-0001'));
    const copy = scratch.copy('copy.db');
    await ledger.close();
    expect(await verifyLedger(copy, { headsLog })).toMatchObject({
      verdict: 'unproven',
      exit: 6,
      entries: 3,
      headSize: 1,
    });
    expect(await verifyLedger(copy, { headsLog, live: true })).toMatchObject({ verdict: 'ok', exit: 0 });
    scratch.remove();
  });

  it('ends where it is told to, with exit 1', async () => {
    const scratch = await new Scratch().fill(async (ledger) => {
      for (let i = 0; i < 20; i += 1) {
        await Promise.all(
          Array.from({ length: 500 }, (_, at) =>
            ledger.append({ entries: [{ type: 'shim_health', ts: 1, runId: 'r', data: { at } }] }),
          ),
        );
      }
    });
    const progress: number[] = [];
    const controller = new AbortController();
    const report = await verifyLedger(scratch.path, {
      headsLog: scratch.headsLog,
      signal: controller.signal,
      onProgress: (checked, total) => {
        progress.push(checked / total);
        controller.abort();
      },
    });
    expect(report).toMatchObject({ verdict: 'unchecked', exit: 1, finding: null });
    expect(progress).toHaveLength(1);
    scratch.remove();
  });
});
