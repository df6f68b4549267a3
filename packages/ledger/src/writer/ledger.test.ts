import { existsSync, readdirSync, readlinkSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { openLedgerReader, type AppendResult, type Ledger } from '../index.js';
import {
  action,
  beginCall,
  endCall,
  fillRun,
  openHere,
  openInThread,
  runEnd,
  runStart,
  Scratch,
} from '../../testing/scratch.js';

const scratches: Scratch[] = [];
afterEach(() => {
  for (const used of scratches.splice(0)) used.remove();
});

function scratch(): Scratch {
  const made = new Scratch();
  made.create();
  scratches.push(made);
  return made;
}

function positions(result: AppendResult): readonly { readonly seq: number; readonly leaf: string }[] {
  if (!result.ok) throw new Error(`refused: ${result.conflict}`);
  return result.entries;
}

/** Paths below `folder` that this process holds open. */
function openFilesBelow(folder: string): string[] {
  return readdirSync('/proc/self/fd').flatMap((descriptor) => {
    const target = linkOf(`/proc/self/fd/${descriptor}`);
    return target?.startsWith(folder) === true ? [target] : [];
  });
}

/** Undefined for the descriptor that listed the folder: it is closed by now. */
function linkOf(path: string): string | undefined {
  return existsSync(path) ? readlinkSync(path) : undefined;
}

const health = (runId: string, i: number) => ({ type: 'shim_health', ts: 1, runId, data: { i } }) as const;

describe.each([
  ['this', openHere],
  ['a', openInThread],
] as const)('a ledger whose store runs in %s thread', (_thread, openAs) => {
  async function withLedger(use: (ledger: Ledger, at: Scratch) => Promise<void>): Promise<Scratch> {
    const at = scratch();
    const ledger = await at.open({}, openAs);
    try {
      await use(ledger, at);
    } finally {
      await ledger.close();
    }
    return at;
  }

  it('starts at the genesis fingerprint and creates its memory', async () => {
    await withLedger(async (ledger) => {
      expect(ledger.head()).toEqual({ seq: 0, leaf: ledger.genesisFingerprint });
      expect(ledger.memory).toBe('created');
      expect(ledger.ledgerId).toBe('test-ledger');
    });
  });

  it('says what to do where it cannot be opened', async () => {
    const at = scratch();
    for (const run of ['run-a', 'run-b']) {
      const ledger = await at.open({ segmentBytes: 1 });
      await fillRun(ledger, run, 1);
      await ledger.close();
    }
    const folder = join(at.folder, 'segments');
    renameSync(folder, `${folder}-elsewhere`);
    await expect(at.open({}, openAs)).rejects.toMatchObject({
      code: 'ledger_incomplete',
      help: expect.stringMatching(/^put it back into /),
    });
  });

  it('numbers entries from 1 without a gap and returns their leaves', async () => {
    const at = await withLedger(async (ledger) => {
      const first = positions(await ledger.append({ entries: [runStart('r')] }));
      const second = positions(await ledger.append(beginCall('r', 'call-0001')));
      expect([...first, ...second].map(({ seq }) => seq)).toEqual([1, 2, 3]);
      expect(ledger.head()).toEqual(second[1]);
    });
    const reader = openLedgerReader(at.path);
    expect(reader.recent().map((row) => `${row.seq}.${row.leaf}`)).toHaveLength(4);
    reader.close();
    expect((await at.verify()).verdict).toBe('ok');
  });

  it('lets groups of one turn share a commit, in the order of their appends', async () => {
    await withLedger(async (ledger) => {
      const commits: [number, number][] = [];
      ledger.onCommit(({ first, last }) => commits.push([first, last]));
      const results = await Promise.all(
        Array.from({ length: 100 }, (_, i) => ledger.append({ entries: [health('r', i)] })),
      );
      expect(results.map((result) => positions(result)[0]?.seq)).toEqual(
        Array.from({ length: 100 }, (_, i) => i + 1),
      );
      expect(commits).toEqual([[1, 100]]);
    });
  });

  it('lets what may wait go with the next commit, or with one of its own when its time is over', async () => {
    const later: Promise<AppendResult>[] = [];
    const at = await withLedger(async (ledger) => {
      const commits: number[][] = [];
      ledger.onCommit(({ first, last }) => commits.push([first, last]));
      const waits = ledger.append({ entries: [health('r', 1)] }, 60_000);
      await new Promise((resolve) => setTimeout(resolve, 20));
      expect(ledger.queueDepth).toBe(1);
      await ledger.append({ entries: [health('r', 2)] });
      expect(positions(await waits)[0]?.seq).toBe(1);
      expect(positions(await ledger.append({ entries: [health('r', 3)] }, 5))[0]?.seq).toBe(3);
      await new Promise((resolve) => setImmediate(resolve));
      expect(commits).toEqual([
        [1, 2],
        [3, 3],
      ]);
      later.push(ledger.append({ entries: [health('r', 4)] }, 60_000));
    });
    expect((await Promise.all(later)).map((result) => positions(result).length)).toEqual([1]);
    const again = await at.open({}, openAs);
    expect(again.head().seq).toBeGreaterThanOrEqual(4);
    await again.close();
  });

  it('takes at most 512 entries into one commit', async () => {
    await withLedger(async (ledger) => {
      const sizes: number[] = [];
      ledger.onCommit(({ first, last }) => sizes.push(last - first + 1));
      await Promise.all(Array.from({ length: 1300 }, (_, i) => ledger.append({ entries: [health('r', i)] })));
      expect(sizes).toEqual([512, 513, 276]);
    });
  });

  it('ingests 10,000 entries from many runs and verifies', async () => {
    const at = await withLedger(async (ledger) => {
      for (let wave = 0; wave < 5; wave += 1) {
        await Promise.all(
          Array.from({ length: 2000 }, (_, i) => ledger.append({ entries: [health(`run-${i % 50}`, i)] })),
        );
      }
    });
    const report = await at.verify();
    expect(report).toMatchObject({ verdict: 'ok', exit: 0, entries: 10_000 + report.seals, runs: 50 });
  });

  it('refuses a request id that was claimed before, and only that group', async () => {
    const at = await withLedger(async (ledger) => {
      const [first, again, other, otherRun] = await Promise.all([
        ledger.append(beginCall('r', 'call-0001')),
        ledger.append(beginCall('r', 'call-0001')),
        ledger.append(beginCall('r', 'call-0002')),
        ledger.append(beginCall('s', 'call-0001')),
      ]);
      expect(first).toMatchObject({ ok: true });
      expect(again).toEqual({ ok: false, conflict: 'seen', seq: 2 });
      expect(positions(other).map(({ seq }) => seq)).toEqual([3, 4]);
      expect(otherRun).toMatchObject({ ok: true });
      expect(await ledger.append(beginCall('r', 'call-0002'))).toEqual({
        ok: false,
        conflict: 'seen',
        seq: 4,
      });
    });
    expect(await at.verify()).toMatchObject({ verdict: 'ok', entries: 7 });
  });

  it('refuses a second result, and only that group', async () => {
    const at = await withLedger(async (ledger) => {
      const [, decision] = positions(await ledger.append(beginCall('r', 'call-0001')));
      const ref = decision?.seq ?? 0;
      const [first, second, other] = await Promise.all([
        ledger.append({ entries: [endCall('r', 'call-0001', ref)] }),
        ledger.append({ entries: [health('r', 1), endCall('r', 'call-0001', ref)] }),
        ledger.append({ entries: [health('r', 2)] }),
      ]);
      expect(first).toMatchObject({ ok: true });
      expect(second).toEqual({ ok: false, conflict: 'ref' });
      expect(positions(other)[0]?.seq).toBe(4);
    });
    expect(await at.verify()).toMatchObject({ verdict: 'ok', entries: 5 });
  });

  it('lets a grant be used once only, across runs', async () => {
    await withLedger(async (ledger) => {
      const [grant] = positions(
        await ledger.append({ entries: [{ type: 'approval_granted', ts: 1, runId: null, data: {} }] }),
      );
      const use = (runId: string) =>
        ledger.append({ entries: [{ ...action('action_pending', runId, 'pending'), ref: grant?.seq ?? 0 }] });
      const results = await Promise.all([use('r'), use('s')]);
      expect(results[0]).toMatchObject({ ok: true });
      expect(results[1]).toEqual({ ok: false, conflict: 'ref' });
    });
  });

  it('refuses references that its kind may not make', async () => {
    await withLedger(async (ledger) => {
      const [start, decision] = positions(await ledger.append(beginCall('r', 'call-0001')));
      const wrong = [
        endCall('r', 'call-0001', start?.seq ?? 0),
        endCall('s', 'call-0001', decision?.seq ?? 0),
        endCall('r', 'call-0001', 99),
        { ...action('action_result', 'r', 'success'), ref: decision?.seq ?? 0 },
        action('action_result', 'r', 'success'),
      ];
      for (const entry of wrong) {
        await expect(ledger.append({ entries: [entry] })).rejects.toMatchObject({ code: 'invalid_request' });
      }
      expect(ledger.head().seq).toBe(2);
    });
  });

  it('adds nothing to a run that has ended, also after it was opened again', async () => {
    const at = await withLedger(async (ledger) => {
      await ledger.append({ entries: [runStart('r')] });
      const [end, late] = await Promise.allSettled([
        ledger.append({ entries: [runEnd('r')] }),
        ledger.append({ entries: [health('r', 1)] }),
      ]);
      expect(end.status).toBe('fulfilled');
      expect(late).toMatchObject({ status: 'rejected', reason: { code: 'run_ended' } });
      await expect(ledger.append({ entries: [runEnd('s'), health('s', 1)] })).rejects.toMatchObject({
        code: 'run_ended',
      });
    });
    const again = await at.open({}, openAs);
    await expect(again.append({ entries: [health('r', 2)] })).rejects.toMatchObject({ code: 'run_ended' });
    await again.close();
  });

  it('continues the chain, the runs and the tree after it was opened again', async () => {
    const at = await withLedger((ledger) => fillRun(ledger, 'r', 200));
    for (let round = 0; round < 3; round += 1) {
      const ledger = await at.open({}, openAs);
      expect(ledger.memory).toBe('matched');
      expect(ledger.head().seq).toBe(602 + 2 * round);
      await ledger.append({ entries: [health('r', round)] });
      await ledger.close();
    }
    expect(await at.verify()).toMatchObject({ verdict: 'ok', entries: 608, runs: 1 });
  });

  it('tells the recorded outcome of a request id', async () => {
    await withLedger(async (ledger) => {
      const [, decision] = positions(await ledger.append(beginCall('r', 'call-0001')));
      await expect(ledger.seenOutcome('r', 'call-0002')).resolves.toBeNull();
      await expect(ledger.seenOutcome('s', 'call-0001')).resolves.toBeNull();
      await expect(ledger.seenOutcome('r', 'call-0001')).resolves.toMatchObject({
        claimed: { seq: 2, code: 'ALLOW' },
        result: null,
      });
      await ledger.append({ entries: [endCall('r', 'call-0001', decision?.seq ?? 0)] });
      await expect(ledger.seenOutcome('r', 'call-0001')).resolves.toMatchObject({
        result: { type: 'tool_call_end', code: 'OK' },
      });
    });
  });

  it('lists what is pending without a result, before and after it was opened again', async () => {
    const at = await withLedger(async (ledger) => {
      await fillRun(ledger, 'r', 5);
      await ledger.append(beginCall('r', 'call-open'));
      await ledger.append({ entries: [action('action_pending', null, 'pending')] });
      await ledger.append({
        entries: [
          { type: 'tool_call_start', ts: 1, runId: 'r', data: {} },
          { type: 'tool_call_decision', ts: 1, runId: 'r', code: 'BLOCK', data: {} },
        ],
      });
      expect(ledger.danglingPendings().map(({ seq }) => seq)).toEqual([18, 19]);
    });
    const again = await at.open({}, openAs);
    expect(again.danglingPendings().map(({ seq }) => seq)).toEqual([18, 19]);
    await again.append({ entries: [endCall('r', 'call-open', 18)] });
    expect(again.danglingPendings().map(({ seq }) => seq)).toEqual([19]);
    await again.close();
    expect(await at.verify()).toMatchObject({ verdict: 'ok', open: 1 });
  });

  it('signs a head when it falls idle, without being asked', async () => {
    await withLedger(async (ledger, at) => {
      at.nowMs = 0;
      await ledger.append({ entries: [health('r', 1)] });
      await ledger.append({ entries: [health('r', 2)] });
      await expect.poll(async () => (await at.verify(at.copy('live.db'))).headSize).toBe(2);
    });
  });

  it('refuses what comes after close, and keeps what came before', async () => {
    const at = scratch();
    const ledger = await at.open({}, openAs);
    const last = ledger.append({ entries: [health('r', 1)] });
    const closed = ledger.close();
    await expect(ledger.append({ entries: [health('r', 2)] })).rejects.toMatchObject({
      code: 'shutting_down',
    });
    expect(await last).toMatchObject({ ok: true });
    await closed;
    expect(await at.verify()).toMatchObject({ verdict: 'ok', entries: 2 });
  });

  it.skipIf(process.platform !== 'linux')(
    'stays closed after an append in the turn of its close',
    async () => {
      const at = scratch();
      const ledger = await at.open({}, openAs);
      await ledger.append({ entries: [health('r', 1)] });
      await expect.poll(async () => (await at.verify(at.copy('live.db'))).headSize).toBe(1);
      // The clock stands still, so that the last commit leaves its entry behind the signed head.
      at.stopClock();
      const last = ledger.append({ entries: [health('r', 2)] });
      await ledger.close();
      expect(await last).toMatchObject({ ok: true });
      await new Promise((resolve) => {
        setTimeout(resolve, 120);
      });
      expect(openFilesBelow(at.folder)).toEqual([]);
      await expect(ledger.flushHead('idle')).rejects.toMatchObject({ code: 'shutting_down' });
      expect(openFilesBelow(at.folder)).toEqual([]);
    },
  );

  it('takes the end of what runs where it refuses what begins', async () => {
    await withLedger(async (ledger) => {
      const first = await ledger.append(beginCall('r', 'call-00000000'));
      if (!first.ok) throw new Error('the first call was refused');
      const ids = Array.from({ length: 4200 }, (_, at) => `call-${String(at + 1).padStart(8, '0')}`);
      const begun = Promise.allSettled(ids.map((id) => ledger.append(beginCall('r', id))));
      const end = ledger.append({ entries: [endCall('r', 'call-00000000', first.entries[1]?.seq ?? 0)] });
      const refused = (await begun).filter((result) => result.status === 'rejected');
      expect(refused).toHaveLength(4200 - (8192 * 3) / 4 / 2);
      for (const result of refused) expect(result).toMatchObject({ reason: { code: 'overloaded' } });
      expect(await end).toMatchObject({ ok: true });
    });
  });

  it('refuses more than its queue holds and drops previews before', async () => {
    const at = await withLedger(async (ledger) => {
      const text = 'p'.repeat(16_000);
      const settled = await Promise.allSettled(
        Array.from({ length: 9000 }, (_, i) =>
          ledger.append({ entries: [{ ...health('r', i), blobs: i % 10 === 0 ? { preview: text } : {} }] }),
        ),
      );
      const refused = settled.filter((result) => result.status === 'rejected');
      expect(refused).toHaveLength(9000 - 8192);
      for (const result of refused) expect(result).toMatchObject({ reason: { code: 'overloaded' } });
      expect(ledger.queueDepth).toBe(0);
      expect(await ledger.append({ entries: [health('r', 1)] })).toMatchObject({ ok: true });
    });
    const reader = openLedgerReader(at.path);
    const states = new Set<string>();
    for (let next: number | null = 1; next !== null;) {
      const page: ReturnType<typeof reader.tailFrom> = reader.tailFrom(next, 1000);
      for (const row of page.rows) for (const blob of Object.values(row.blobs)) states.add(blob.state);
      next = page.next === null ? null : page.next + 1;
    }
    reader.close();
    expect([...states].toSorted()).toEqual(['dropped:backpressure', 'present']);
    const report = await at.verify();
    expect(report).toMatchObject({ verdict: 'ok', entries: 8193 + report.seals });
  });
});
