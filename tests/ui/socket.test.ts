import type { AppendGroup, EntryInput, Ledger } from '@subluminal/ledger';
import type { GatewayFrame, Row } from '@subluminal/ui/protocol';
import { expect, it } from 'vitest';
import { dataOf, start, toolCall, toolEnd } from '../gateway/harness.js';
import { type Listening, page } from './kit/page.js';

const isLong = process.env['SUB_LONG'] !== undefined;
const RATE = 10_000;
const SECONDS = isLong ? 10 : 2;
const RUN = '01JDZ0000000000000000000AA';
const CALLS_A_GROUP = 20;
const MOST_WAITING = 80;

/** Twenty calls that are over: sixty entries. */
function group(from: number): AppendGroup {
  return {
    entries: Array.from({ length: CALLS_A_GROUP }, (_, at): readonly EntryInput[] => {
      const call = { call_id: `call-${String(from + at).padStart(8, '0')}` };
      const tool = ['fs', `tool-${at}`] as const;
      const base = { ts: Date.now(), runId: RUN, tool };
      const code = at === 0 ? 'BLOCK' : 'ALLOW';
      return [
        { ...base, type: 'tool_call_start', ref: null, data: { call, shim_id: 's' } },
        {
          ...base,
          type: 'tool_call_decision',
          code,
          data: { call, decision: { action: code, rule_id: 'r' } },
        },
        { ...base, type: 'tool_call_end', code: 'OK', data: { call, latency_ms: 1 } },
      ];
    }).flat(),
  };
}

/** A gateway whose ledger the test writes to. */
async function world() {
  let ledger: Ledger | undefined;
  const gateway = await start({
    // The rate of the page is measured, and not that of the disk.
    config: 'durability = "process"\n',
    wrapLedger: (own) => {
      ledger = own;
      return own;
    },
  });
  if (ledger === undefined) throw new Error('no ledger');
  return { gateway, ledger, at: await page(await gateway.operator()) };
}

/** Frames of rows of several sockets, one behind the other: none is missing and none comes twice. */
function joined(all: readonly Listening[]): {
  readonly from: number;
  readonly upto: number;
  readonly rows: Map<number, Row>;
} {
  const rows = new Map<number, Row>();
  let next: number | undefined;
  let first = 0;
  for (const { rows: frames } of all) {
    for (const frame of frames) {
      first ||= frame.from;
      if (next !== undefined) expect(frame.from).toBe(next);
      next = frame.upto + 1;
      for (const row of frame.rows) rows.set(row.seq, row);
    }
  }
  return { from: first, upto: (next ?? 1) - 1, rows };
}

it(
  `${RATE * SECONDS} entries, up to ${RATE} a second, reach a page without a gap, though its socket is cut off midway`,
  async () => {
    const { at, ledger } = await world();
    const begun = ledger.head().seq;
    const first = at.listen({ from: begun + 1, credit: 64 });
    await first.frame('welcome');
    const sockets = [first];
    // The reader's thread has begun.
    await ledger.append(group(0));
    await first.frame('rows');
    const began = performance.now();
    const total = RATE * SECONDS;
    let written = 0;
    let isCut = false;
    let worst = 0;
    let waiting = 0;
    while (written < total || waiting > 0) {
      const due = Math.min(total, ((performance.now() - began) / 1000) * RATE);
      // The ledger refuses what it cannot take: a slow disk makes the test longer, and nothing else.
      while (written < due && waiting < MOST_WAITING) {
        waiting += 1;
        void ledger.append(group(written / 3)).finally(() => (waiting -= 1));
        written += CALLS_A_GROUP * 3;
      }
      if (!isCut && written > total / 2 && first.rows.length > 0) {
        isCut = true;
        first.socket.terminate();
        const upto = first.rows.at(-1)?.upto ?? 0;
        sockets.push(at.listen({ from: upto + 1, credit: 64 }));
      }
      const before = performance.now();
      await new Promise((resolve) => setTimeout(resolve, 5));
      worst = Math.max(worst, performance.now() - before);
    }
    const rate = (written * 1000) / (performance.now() - began);
    const head = ledger.head().seq;
    const last = sockets.at(-1) ?? first;
    await last.frame('rows', ({ upto }) => upto >= head);
    const took = (performance.now() - began) / 1000;
    const { from, rows, upto } = joined(sockets);
    expect([from, upto >= head]).toEqual([begun + 1, true]);
    const calls = [...rows.values()].filter(({ kind }) => kind === 'call');
    expect(calls).toHaveLength(written / 3 + CALLS_A_GROUP);
    expect(calls.every(({ decision, status }) => decision !== null && status === 'OK')).toBe(true);
    expect(calls.filter(({ refused }) => refused)).toHaveLength(written / 3 / CALLS_A_GROUP + 1);
    expect(sockets).toHaveLength(2);
    // The page is not behind the last of them for as long as all of them took, on a busy machine either.
    expect(took - written / rate).toBeLessThan(Math.max(3, written / rate));
    process.stdout.write(
      `socket: ${written} entries at ${rate.toFixed(0)}/s, ${(took - written / rate).toFixed(2)} s behind at the end, worst turn ${worst.toFixed(0)} ms\n`,
    );
  },
  isLong ? 240_000 : 120_000,
);

it('a page that acknowledges nothing gets what it gave credit for, hears that it is behind, and then the rest', async () => {
  const { at, ledger } = await world();
  const begun = ledger.head().seq;
  const slow = at.listen({ from: begun + 1, credit: 2 });
  slow.acks = false;
  await slow.frame('welcome');
  for (let done = 0; done < 100; done += 1) await ledger.append(group(done * CALLS_A_GROUP));
  await slow.frame('behind', ({ skipped }) => !skipped);
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(slow.rows).toHaveLength(2);
  slow.acks = true;
  slow.send({ t: 'ack', n: 2 });
  await slow.frame('rows', ({ upto }) => upto >= ledger.head().seq);
  expect(joined([slow]).rows.size).toBeGreaterThanOrEqual(2000);
  slow.close();
});

it('a gap that is too long is skipped, told, and read by its entries', async () => {
  const { at, ledger } = await world();
  const begun = ledger.head().seq;
  for (let done = 0; done < 900; done += 30)
    await Promise.all(
      Array.from({ length: 30 }, (_, one) => ledger.append(group((done + one) * CALLS_A_GROUP))),
    );
  const late = at.listen({ from: begun + 1 });
  const { from, upto } = await late.frame('behind', ({ skipped }) => skipped);
  const first = await late.frame('rows');
  expect([from, first.from]).toEqual([begun + 1, upto + 1]);
  const { json } = await at.get(`/ui/api/records?after=${begun}&limit=3`);
  expect((json as { rows?: readonly Row[] }).rows?.map(({ seq }) => seq)).toEqual([
    begun + 1,
    begun + 4,
    begun + 7,
  ]);
  late.close();
});

it('a filter holds for the socket and for pages alike, and with a bad one no rows come', async () => {
  const { at, gateway } = await world();
  const run = await gateway.run();
  const told = at.listen({ filter: 'tool:write_*' });
  await told.frame('welcome');
  for (const tool_name of ['read_file', 'write_file', 'write_all']) {
    const call = toolCall({ tool_name });
    dataOf(await run.client.request('tool.call.begin', call));
    await run.client.request('tool.call.end', toolEnd(call.call_id));
  }
  const isLast = (row: Row): boolean => row.tool === 'write_all' && row.status === 'OK';
  await told.frame('rows', ({ rows }) => rows.some(isLast));
  const seen = new Set(told.rows.flatMap(({ rows }) => rows.map(({ tool }) => tool)));
  expect([...seen]).toEqual(['write_file', 'write_all']);
  const bad = at.listen({ filter: 'is:refuzed', from: 1 });
  await expect(bad.frame('bad_filter')).resolves.toMatchObject({ at: 0 });
  for (const tool_name of ['read_file', 'write_still'])
    await run.client.request('tool.call.begin', toolCall({ tool_name }));
  await told.frame('rows', ({ rows }) => rows.some(({ tool }) => tool === 'write_still'));
  expect(told.rows.flatMap(({ rows }) => rows.map(({ tool }) => tool))).not.toContain('read_file');
  expect(bad.rows).toEqual([]);
  bad.close();
  const other = at.listen({ filter: 'tool:read_file', from: 1 });
  await other.frame('rows', ({ rows }) => rows.some(({ tool }) => tool === 'read_file'));
  other.close();
  const asked = async (filter: string): Promise<readonly (string | null)[]> => {
    const { json } = await at.get(`/ui/api/records?f=${encodeURIComponent(filter)}`);
    return ((json as { rows?: readonly Row[] }).rows ?? []).map(({ tool }) => tool);
  };
  expect(await asked('tool:write_*')).toEqual(['write_still', 'write_all', 'write_file']);
  expect(await asked('-tool:write_* kind:call')).toEqual(['read_file', 'read_file']);
  told.close();
});

it('a record that stops fitting a filter is told once more, as it is then', async () => {
  const { at, gateway } = await world();
  const run = await gateway.run();
  const told = at.listen({ filter: 'is:open kind:call' });
  await told.frame('welcome');
  const call = toolCall({ tool_name: 'read_file' });
  await run.client.request('tool.call.begin', call);
  await told.frame('rows', ({ rows }) => rows.some(({ tool }) => tool === 'read_file'));
  await run.client.request('tool.call.end', toolEnd(call.call_id));
  const { left } = await told.frame('rows', (frame) => frame.left.length > 0);
  expect(left).toMatchObject([{ tool: 'read_file', status: 'OK' }]);
  told.close();
});

it('nothing comes while a page is paused, and what came meanwhile comes after', async () => {
  const { at, ledger } = await world();
  const told = at.listen();
  const { head } = await told.frame('welcome');
  told.send({ t: 'pause' });
  // One reader tells all pages: once it has answered a later one, this one is paused.
  const later = at.listen({ filter: 'decision:"' });
  await later.frame('bad_filter');
  later.close();
  const before = told.rows.length;
  await ledger.append(group(0));
  await told.frame('behind');
  expect(told.rows).toHaveLength(before);
  told.send({ t: 'resume', from: head + 1 });
  await told.frame('rows', (frame: Extract<GatewayFrame, { t: 'rows' }>) => frame.upto >= head + 60);
  told.close();
});
