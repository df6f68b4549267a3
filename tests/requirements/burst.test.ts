import { openLedgerReader, type Ledger } from '@subluminal/ledger';
import { expect, it } from 'vitest';
import { start, toolCall } from '../gateway/harness.js';

const BURST = 5000;

/**
 * A ledger in which `BURST` entries of somebody else wait before each call that has `bursts` in its
 * arguments.
 */
function withBursts(ledger: Ledger): Ledger {
  const append: Ledger['append'] = (group, mayWaitMs) => {
    const [first] = group.entries;
    if (first?.type === 'tool_call_start' && JSON.stringify(first).includes('bursts'))
      for (let i = 0; i < BURST; i += 1)
        void ledger.append({ entries: [{ type: 'shim_health', ts: 1, runId: first.runId, data: { i } }] });
    return ledger.append(group, mayWaitMs);
  };
  return new Proxy(ledger, {
    get(target, key) {
      if (key === 'append') return append;
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}

it('in a burst the gateway records and answers a call, and gives up its preview first', async () => {
  const world = await start({ wrapLedger: withBursts });
  const { client } = await world.run();
  for (const text of ['calm', 'bursts'])
    expect(await client.request('tool.call.begin', toolCall({ args: { text } }))).toMatchObject({
      status: 'success',
      data: { decision: { action: 'ALLOW' } },
    });
  const reader = openLedgerReader(world.paths.ledgerDb);
  const { rows } = reader.byType('tool_call_start', { order: 'asc' });
  expect(
    rows.map(({ seq, blobs }) => [
      ...Object.values(blobs).map(({ state }) => state),
      reader.referring(seq)?.code,
    ]),
  ).toEqual([
    ['present', 'ALLOW'],
    ['dropped:backpressure', 'ALLOW'],
  ]);
  expect(reader.byType('shim_health', { limit: 1 }).rows).toHaveLength(1);
  reader.close();
  expect(await world.verify()).toBe('ok');
});
