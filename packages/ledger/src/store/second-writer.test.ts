import { expect, it } from 'vitest';
import { fillRun, runStart, Scratch } from '../../testing/scratch.js';

it.each(['run_end', 'shutdown', 'idle'] as const)(
  'a writer that another one has overtaken puts neither the head nor heads.log back (%s)',
  async (reason) => {
    const scratch = new Scratch();
    scratch.create();
    const first = await scratch.open();
    await fillRun(first, 'a', 2);
    const second = await scratch.open();
    await fillRun(second, 'b', 3);
    await second.flushHead('shutdown');
    // Its own trailing signature may have failed by now, and it has opened the ledger anew: then it flushes
    // what is there.
    const flushed = first.flushHead(reason).then(
      () => 'anew',
      (error: unknown) => Reflect.get(Object(error), 'code'),
    );
    expect(['anew', 'audit_unavailable']).toContain(await flushed);
    await second.close();
    expect(await scratch.verify()).toMatchObject({ exit: 0, entries: 18, headSize: 18 });
    // It may have found its way back by now, or not yet: either way it leaves the ledger as it is.
    await Promise.allSettled([first.close()]);
    await (await scratch.open()).close();
    expect(await scratch.verify()).toMatchObject({ exit: 0, entries: 18, headSize: 18 });
    scratch.remove();
  },
);

it('a writer that was overtaken reads the ledger anew before it accepts another entry', async () => {
  const scratch = new Scratch();
  scratch.create();
  const first = await scratch.open();
  const second = await scratch.open();
  await fillRun(second, 'b', 3);
  await expect(first.append({ entries: [runStart('a')] })).rejects.toMatchObject({
    code: 'audit_unavailable',
  });
  await second.close();
  await new Promise((resolve) => {
    setTimeout(resolve, 80);
  });
  expect(await first.append({ entries: [runStart('a')] })).toMatchObject({
    ok: true,
    entries: [{ seq: 12 }],
  });
  await first.close();
  expect(await scratch.verify()).toMatchObject({ exit: 0, entries: 13 });
  scratch.remove();
});
