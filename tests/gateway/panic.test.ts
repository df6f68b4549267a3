import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { readCredential } from '@subluminal/ipc';
import { describe, expect, it } from 'vitest';
import { dataOf, runBegin, start, toolCall, type TestGateway } from './harness.js';

const panic = async (world: TestGateway, reason = 'a key leaked') =>
  dataOf(await (await world.operator()).request('panic.begin', { reason }));

describe('panic', () => {
  it('ends every live run with its reason, and the record says who and why', async () => {
    const world = await start();
    const [one, two] = [await world.run(), await world.run()];
    expect(await panic(world)).toMatchObject({ already: false, runs_ended: 2 });
    const ends = world.rows('run_end');
    expect(ends.map(({ runId }) => String(runId)).toSorted()).toEqual([one.id, two.id].toSorted());
    for (const { code, data } of ends) {
      expect(code).toBe('TERMINATED');
      expect(data).toMatchObject({
        run: { cause: 'panic', message: 'the operator stopped everything: a key leaked' },
      });
    }
    expect(world.rows('panicked').map(({ data }) => data)).toMatchObject([
      { by: 'operator', reason: 'a key leaked' },
    ]);
  });

  it('is told to the programs of a run as what ended it', async () => {
    const world = await start();
    const pushes: unknown[] = [];
    const run = await world.run((event) => pushes.push(event));
    await panic(world);
    await run.client.closed;
    expect(pushes).toEqual([{ type: 'run_ended', run_id: run.id, status: 'TERMINATED', cause: 'panic' }]);
  });

  it('refuses runs of both kinds and actions, in words that name no way out, and serves the operator', async () => {
    const world = await start();
    await panic(world);
    const operator = await world.operator();
    const enrol = await world.connect(readCredential(world.paths.enrolKey));
    for (const client of [operator, enrol]) {
      expect(await client.request('run.begin', runBegin())).toMatchObject({
        status: 'error',
        error: { code: 'panicked', message: 'everything is stopped: the operator decided so' },
      });
    }
    const action = await operator.request('service.api_call', {
      service: 'label',
      method: 'GET',
      endpoint: 'https://example.com/',
    });
    expect(action).toMatchObject({ error: { code: 'panicked' } });
    expect(JSON.stringify(action)).not.toContain('resume');
    expect(dataOf(await operator.request('gateway.status', {}))).toMatchObject({
      panicked: { reason: 'a key leaked' },
      runs: { live: 0 },
    });
    expect(await operator.request('allow.list', {})).toMatchObject({ status: 'success' });
  });

  it('survives a restart, and also one that finds no mark, or nothing but the mark', async () => {
    const world = await start();
    await panic(world);
    rmSync(world.paths.panicMark);
    await world.restart();
    expect(existsSync(world.paths.panicMark)).toBe(true);
    const status = async () => dataOf(await (await world.operator()).request('gateway.status', {}));
    expect(await status()).toMatchObject({ panicked: { reason: 'a key leaked' } });
    expect(dataOf(await (await world.operator()).request('panic.end', {}))).toEqual({ resumed: true });
    expect(existsSync(world.paths.panicMark)).toBe(false);
    expect(await status()).toMatchObject({ panicked: null });
    const run = await world.run();
    expect(await run.client.request('tool.call.begin', toolCall())).toMatchObject({
      status: 'success',
    });

    // No gateway could be told: what it reads first is that it must not go on, however the mark looks.
    await world.gateway.stop('test');
    writeFileSync(world.paths.panicMark, 'no json');
    await world.restart();
    expect(world.rows('run_end').find(({ runId }) => runId === run.id)).toMatchObject({
      code: 'TERMINATED',
      data: { run: { cause: 'panic' } },
    });
    expect(world.rows('panicked').at(-1)).toMatchObject({ data: { by: 'mark', reason: '' } });
    expect(await status()).toMatchObject({ panicked: { reason: '' } });
    expect(await world.verify()).not.toBe('tampered');
  });

  it('asked for again changes nothing', async () => {
    const world = await start();
    await panic(world);
    expect(await panic(world, 'again')).toMatchObject({
      already: true,
      runs_ended: 0,
      panicked: { reason: 'a key leaked' },
    });
    expect(world.rows('panicked')).toHaveLength(1);
  });

  it('is not for runs to let go of, nor to call', async () => {
    const world = await start();
    const run = await world.run();
    for (const action of ['panic.begin', 'panic.end']) {
      expect(await run.client.request(action, {})).toMatchObject({ error: { code: 'not_permitted' } });
    }
  });

  it('holds also where the ledger takes nothing more', async () => {
    let gone = false;
    const world = await start({
      wrapLedger: (ledger) =>
        new Proxy(ledger, {
          get: (target, key) => {
            const value: unknown = Reflect.get(target, key);
            if (key === 'append' && gone) return () => Promise.reject(new Error('the disk is gone'));
            return typeof value === 'function' ? value.bind(target) : value;
          },
        }),
    });
    const run = await world.run();
    gone = true;
    expect(await panic(world)).toMatchObject({ runs_ended: 1 });
    expect(await run.client.request('tool.call.begin', toolCall())).toMatchObject({ status: 'error' });
    expect(await (await world.operator()).request('run.begin', runBegin())).toMatchObject({
      error: { code: 'panicked' },
    });
    gone = false;
  });

  it('keeps what looks like a credential out of its reason', async () => {
    const world = await start();
    await panic(world, 'ghp_0123456789abcdefghijABCDEFGHIJ0123456789 leaked');
    expect(JSON.stringify(world.rows('panicked'))).not.toContain('ghp_0123');
  });
});
