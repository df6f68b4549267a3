import { beforeAll, describe, expect, it } from 'vitest';
import { buildFaultLibrary } from './kit/library.js';
import { cutPower, record, type Recording } from './kit/power-loss.js';

const library = buildFaultLibrary();
const path = 'path' in library ? library.path : '';
const absent = 'missing' in library ? ` (not here: ${library.missing})` : '';
const isLong = process.env['SUB_LONG'] === '1';
const seeds = (count: number) => Array.from({ length: count }, (_, at) => at + 1);
const CUTS = Number(process.env['POWER_CUTS'] ?? (isLong ? 10_000 : 15));
/** In the long form more than 1,024 entries, so that a seal is written while the gateway serves. */
const RUNS = isLong ? 90 : 12;

describe.skipIf('missing' in library)(`a power cut${absent}`, () => {
  let recording: Recording;
  beforeAll(async () => {
    recording = await record(path, { runs: RUNS });
  }, 300_000);

  it('takes nothing back that was acknowledged or executed, whatever of the unsynced is lost', async () => {
    const { failures, promised } = await cutPower(recording, { seeds: seeds(CUTS), keepsPromises: true });
    if (isLong)
      console.log(
        `power loss: ${recording.operations.length} operations, ${CUTS} cuts, ${failures.length} failures`,
      );
    expect(failures).toEqual([]);
    expect(promised).toBeGreaterThan(CUTS);
  }, 7_200_000);

  it('leaves a ledger that verifies and is not behind heads.log with durability = "process" as well', async () => {
    const lax = await record(path, { runs: RUNS, config: 'durability = "process"\n' });
    const { failures } = await cutPower(lax, { seeds: seeds(isLong ? CUTS / 5 : 5), keepsPromises: false });
    expect(failures).toEqual([]);
  }, 7_200_000);

  it('would be noticed if a commit were not synced', async () => {
    const unsynced = await record(path, {
      runs: 6,
      rules: [{ ops: ['sync'], path: '*/h/ledger.db-wal', action: 'skip' }],
    });
    const { failures } = await cutPower(unsynced, { seeds: seeds(12), keepsPromises: true });
    expect(failures.length).toBeGreaterThan(0);
  }, 300_000);
});
