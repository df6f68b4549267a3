import { describe, expect, it } from 'vitest';
import { start } from '../gateway/harness.js';
import { connect, end, gatewayFor, outcomeOf, seqOf } from './connections.js';

/** A gateway that finds one name, with the names that it has looked up. */
async function looking(egress: string) {
  const looked: string[] = [];
  const now = Date.now();
  const world = await start({
    config: `[egress]\n${egress}\n`,
    clock: () => now,
    resolver: {
      resolve: (host) => {
        looked.push(host);
        return host === 'known.example'
          ? Promise.resolve(['93.184.216.34'])
          : Promise.reject(new Error('no'));
      },
    },
  });
  return { world, looked, asker: gatewayFor(world, await world.run()) };
}

describe('looking a name up', () => {
  it('is what the pace of a run bounds, since it carries the name out whether or not a connection follows', async () => {
    const { looked, asker } = await looking('connections_per_minute = 3');
    const names = ['a', 'b', 'c', 'd', 'e'].map((label) => `${label}.example`);
    const found = await Promise.all(names.map((name) => connect(asker, name)));
    expect(found.map(outcomeOf).toSorted()).toEqual([
      'rate_limited',
      'rate_limited',
      'resolve_failed',
      'resolve_failed',
      'resolve_failed',
    ]);
    expect(looked).toEqual(names.slice(0, 3));
  });

  it('is not done for a run that has used up what it may carry, or has too much open', async () => {
    const { looked, asker } = await looking('max_run_bytes = 100\nmax_run_connections = 1');
    const seq = seqOf(await connect(asker, 'known.example'));
    expect(outcomeOf(await connect(asker, 'one.example'))).toBe('rate_limited');
    await end(asker, seq, { bytes_up: 100, bytes_down: 0 });
    expect(outcomeOf(await connect(asker, 'two.example'))).toBe('budget_spent');
    expect(looked).toEqual(['known.example']);
  });
});
