import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openLedgerReader } from '../index.js';
import { Scratch, SIGNING_KEY } from '../../testing/scratch.js';

const isLong = process.env['SUB_LONG'] !== undefined;
const APPENDER = fileURLToPath(new URL('../../testing/appender.mjs', import.meta.url));

/** Lets a child append until it has acknowledged `lines` entries, then kills it in the middle of its work. */
async function appendUntilKilled(scratch: Scratch, runId: string, lines: number): Promise<string[]> {
  const key = SIGNING_KEY.export({ format: 'der', type: 'pkcs8' }).toString('base64');
  const notes = join(scratch.folder, `${runId}.notes`);
  writeFileSync(notes, '');
  const child = spawn(
    process.execPath,
    [APPENDER, scratch.path, scratch.headsLog, scratch.sealKey, key, runId, notes],
    {
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  );
  const closed = new Promise((resolve) => {
    child.on('close', resolve);
  });
  const linesNoted = () => readFileSync(notes, 'latin1').split('\n').slice(0, -1);
  await expect
    .poll(() => linesNoted().length, { timeout: 20_000, interval: 5 })
    .toBeGreaterThanOrEqual(lines);
  child.kill('SIGKILL');
  await closed;
  return linesNoted();
}

describe('a ledger whose process is killed', () => {
  const scratch = new Scratch();
  beforeAll(() => scratch.create());
  afterAll(() => scratch.remove());

  // Before its first seal, in its second, and with next to nothing.
  it.each(isLong ? [40, 900, 2100, 3, 1, 1500] : [40, 1100, 1])(
    'holds every acknowledged entry, an unbroken chain and a list of what is in doubt (%d entries)',
    async (lines) => {
      const acknowledged = await appendUntilKilled(scratch, `run-${lines}`, lines);
      expect(acknowledged.length).toBeGreaterThanOrEqual(lines);

      const killed = await scratch.verify();
      expect(killed).toMatchObject({ finding: null });

      const ledger = await scratch.open();
      const reader = openLedgerReader(scratch.path);
      for (const line of acknowledged) {
        const [seq = '', leaf] = line.split(' ');
        expect(reader.entry(Number(seq))?.leaf).toBe(leaf);
      }
      reader.close();
      const dangling = ledger.danglingPendings();
      expect(dangling.length).toBe(killed.open);
      for (const { seq, runId } of dangling) {
        const interrupted = {
          type: 'action_result',
          ts: 1,
          runId,
          tool: 'service.api_call',
          code: 'error',
        } as const;
        expect(await ledger.append({ entries: [{ ...interrupted, ref: seq, data: {} }] })).toMatchObject({
          ok: true,
        });
      }
      await ledger.close();
      expect(await scratch.verify()).toMatchObject({ verdict: 'ok', open: 0 });
    },
  );
});
