import { openLedgerReader, type LedgerRow } from '@subluminal/ledger';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../harness/processes.js';
import type { Answer, RawSession } from '../harness/raw-session.js';
import { GatewayHome } from '../support/gateway-home.js';
import { startShim } from './start.js';

let home: GatewayHome;
let session: RawSession;

beforeEach(async () => {
  home = await new GatewayHome().start();
  session = await startShim({ home: home.paths.home, autostart: false });
});

afterEach(async () => {
  if (session.child.exitCode === null) await session.close();
  await home.remove();
});

function rows(...types: string[]): LedgerRow[] {
  const reader = openLedgerReader(home.paths.ledgerDb);
  try {
    const all = reader.all({ order: 'asc', limit: 5000 }).rows;
    const of = (row: LedgerRow): boolean => row.tool !== null && row.tool[1] === 'hold';
    return all.filter((row) => types.includes(row.type) && of(row));
  } finally {
    reader.close();
  }
}

/** Calls that end when they are told to, however long that takes; resolves when all are allowed. */
async function open(count: number): Promise<readonly Promise<Answer>[]> {
  const hold = { name: 'hold', arguments: {} };
  const calls = Array.from({ length: count }, () => session.request('tools/call', hold));
  await eventually('the calls are allowed', () => rows('tool_call_decision').length === count);
  return calls;
}

/** A ping is not decided: the server answers it, and what it held, without a gateway. */
async function end(calls: readonly Promise<Answer>[]): Promise<void> {
  expect((await session.request('ping')).error).toBeUndefined();
  expect((await Promise.all(calls)).filter(({ error }) => error !== undefined)).toEqual([]);
}

const ends = (): LedgerRow[] => rows('tool_call_end');

describe('a call that ends while there is no gateway', () => {
  it.each(['SIGKILL', 'SIGTERM'] as const)(
    'is recorded as it ended by the next one, after %s',
    async (signal) => {
      const calls = await open(1);
      await home.endGateway(signal);
      await end(calls);
      await home.start();
      await eventually('the end is recorded', () => ends().length === 1);
      const [decision] = rows('tool_call_decision');
      const [recorded] = ends();
      expect(recorded).toMatchObject({
        code: 'OK',
        ref: decision?.seq,
        data: { bytes_out: expect.any(Number) },
      });
      // As long as the call took, which is less than until the gateway heard of it.
      expect(recorded?.data['latency_ms']).toBeLessThan((recorded?.ts ?? 0) - (decision?.ts ?? 0));
    },
  );

  it('is one of many: each is recorded, in their order', async () => {
    const calls = await open(300);
    await home.endGateway('SIGKILL');
    await end(calls);
    await home.start();
    await eventually('the ends are recorded', () => ends().length === 300);
    const recorded = ends();
    expect(new Set(recorded.map(({ code }) => code))).toEqual(new Set(['OK']));
    expect(recorded.map(({ ref }) => ref)).toEqual(rows('tool_call_decision').map(({ seq }) => seq));
    expect(await session.close()).toBe(0);
    expect(ends()).toHaveLength(300);
  });

  it('and that was told to a gateway which hung, is recorded once by the next one', async () => {
    const calls = await open(3);
    const pid = await home.gatewayPid();
    process.kill(pid, 'SIGSTOP');
    await end(calls);
    await new Promise((resolve) => setTimeout(resolve, 50));
    process.kill(pid, 'SIGKILL');
    await eventually('the gateway is gone', () =>
      home.gatewayPid().then(
        () => false,
        () => true,
      ),
    );
    await home.start();
    await eventually('the ends are recorded', () => ends().length === 3);
    expect(ends().map(({ code }) => code)).toEqual(['OK', 'OK', 'OK']);
  });

  it('is told right before the session is over, where a gateway is back by then', async () => {
    const calls = await open(2);
    await home.endGateway('SIGKILL');
    await end(calls);
    await home.start();
    expect(await session.close()).toBe(0);
    expect(ends().map(({ code }) => code)).toEqual(['OK', 'OK']);
  });

  it('and after which none comes back, keeps no session: the next gateway closes it as not reported', async () => {
    const calls = await open(2);
    await home.endGateway('SIGKILL');
    await end(calls);
    expect(await session.close()).toBe(0);
    await home.start();
    await eventually('they are closed', () => ends().length === 2);
    expect(ends().map(({ code }) => code)).toEqual(['ERROR', 'ERROR']);
  });
});
