import { copyFileSync, renameSync, rmSync } from 'node:fs';
import { expect, it } from 'vitest';
import { openHere, openInThread, runStart, Scratch } from '../../testing/scratch.js';

const health = (i: number) => ({
  entries: [{ type: 'shim_health' as const, ts: i, runId: 'r', data: { i } }],
});

it.each([
  ['in this thread', openHere],
  ['in its own', openInThread],
] as const)(
  'a write-ahead log that is deleted stops the writer, and takes nothing with it: %s',
  async (_, openAs) => {
    const scratch = new Scratch();
    scratch.create();
    const ledger = await scratch.open({}, openAs);
    await ledger.append({ entries: [runStart('r')] });
    for (let i = 0; i < 20; i += 1) await ledger.append(health(i));
    rmSync(`${scratch.path}-wal`);
    for (let i = 0; i < 2; i += 1)
      await expect(ledger.append(health(21))).rejects.toMatchObject({ code: 'audit_unavailable' });
    await expect(ledger.close()).rejects.toMatchObject({ code: 'audit_unavailable' });
    await (await scratch.open()).close();
    expect(await scratch.verify()).toMatchObject({ exit: 0, entries: 22 });
    scratch.remove();
  },
);

it('a ledger that is replaced by a copy stops the writer: nothing is written where nobody reads', async () => {
  const scratch = new Scratch();
  scratch.create();
  const ledger = await scratch.open();
  await ledger.append({ entries: [runStart('r')] });
  renameSync(scratch.path, `${scratch.path}.away`);
  copyFileSync(`${scratch.path}.away`, scratch.path);
  await expect(ledger.append(health(1))).rejects.toMatchObject({ code: 'audit_unavailable' });
  await expect(ledger.append(health(2))).rejects.toMatchObject({ code: 'audit_unavailable' });
  await expect(ledger.close()).rejects.toMatchObject({ code: 'audit_unavailable' });
  scratch.remove();
});
