import { SublError } from '@subluminal/core-types';
import type { CommitNotice, Ledger } from '@subluminal/ledger';
import { describe, expect, it } from 'vitest';
import { dataOf, runBegin, start, toolCall, toolEnd } from './harness.js';

/**
 * A ledger that, once told to, keeps what it is given and reports that it failed; then it goes on, as after a
 * repair.
 */
function unsureLedger(): { wrap: (ledger: Ledger) => Ledger; failNext: () => void } {
  let failing = false;
  return {
    failNext: () => {
      failing = true;
    },
    wrap: (ledger) => {
      const listeners = new Set<(notice: CommitNotice) => void>();
      const onCommit: Ledger['onCommit'] = (listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      };
      const append: Ledger['append'] = async (group) => {
        const isLost = failing;
        failing = false;
        const result = await ledger.append(group);
        if (!isLost || !result.ok) return result;
        const seqs = result.entries.map(({ seq }) => seq);
        for (const listener of listeners)
          listener({ first: Math.min(...seqs), last: Math.max(...seqs), unheard: true });
        throw new SublError('audit_unavailable', 'the ledger could not record it');
      };
      return new Proxy(ledger, {
        get(target, name) {
          if (name === 'onCommit') return onCommit;
          if (name === 'append') return append;
          const value: unknown = Reflect.get(target, name, target);
          return typeof value === 'function' ? value.bind(target) : value;
        },
      });
    },
  };
}

describe('entries that stand although their commit was reported as failed', () => {
  it('close as interrupted without a restart: the call was refused and is not made', async () => {
    const ledger = unsureLedger();
    const world = await start({ wrapLedger: ledger.wrap });
    const { client } = await world.run();
    const call = toolCall();
    ledger.failNext();
    expect((await client.request('tool.call.begin', call)).error?.code).toBe('audit_unavailable');
    await expect.poll(() => world.calls()).toMatchObject([{ decision: 'ALLOW', end: 'ERROR' }]);
    expect(world.rows('tool_call_end')[0]?.data).toMatchObject({ error: { code: 'interrupted' } });
    expect((await client.request('tool.call.begin', toolCall())).status).toBe('success');
  });

  it('close an action of the operator as well', async () => {
    const ledger = unsureLedger();
    const world = await start({ wrapLedger: ledger.wrap });
    const operator = await world.operator();
    ledger.failNext();
    const answer = await operator.request('allow.add', { host: 'example.org' });
    expect(answer.error?.code).toBe('audit_unavailable');
    await expect.poll(() => world.rows('action_result')).toMatchObject([{ code: 'error' }]);
    expect(dataOf(await operator.request('allow.list', {}))).toMatchObject({ entries: [] });
  });

  it('let a run end whose call ended so', async () => {
    const ledger = unsureLedger();
    const world = await start({ wrapLedger: ledger.wrap });
    const { client } = await world.run();
    const call = toolCall();
    await client.request('tool.call.begin', call);
    ledger.failNext();
    expect((await client.request('tool.call.end', toolEnd(call.call_id))).error?.code).toBe(
      'audit_unavailable',
    );
    expect((await client.request('run.end', { status: 'SUCCEEDED' })).status).toBe('success');
    expect(world.calls()).toMatchObject([{ decision: 'ALLOW', end: 'OK' }]);
  });

  it('end a run whose end stands, and keep one whose beginning does', async () => {
    const ledger = unsureLedger();
    const world = await start({ wrapLedger: ledger.wrap });
    const { client } = await world.run();
    const live = async () =>
      dataOf(await (await world.operator()).request('gateway.status', {}))['runs'] as { live: number };
    ledger.failNext();
    await client.request('run.end', { status: 'SUCCEEDED' }).catch(() => undefined);
    await expect.poll(live, { timeout: 10_000 }).toMatchObject({ live: 0 });
    expect(world.rows('run_end')).toHaveLength(1);
    ledger.failNext();
    await (await world.operator()).request('run.begin', runBegin());
    await expect.poll(live, { timeout: 10_000 }).toMatchObject({ live: 1 });
    await world.restart();
    await world.gateway.stop('test');
    expect(await world.verify()).toBe('ok');
  });
});
