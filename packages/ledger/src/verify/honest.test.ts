import { expect, it } from 'vitest';
import { live } from '../../testing/honest/life.js';

const isLong = process.env['SUB_LONG'] !== undefined;
const LIVES = Number(process.env['HONEST_LIVES'] ?? (isLong ? 1000 : 8));
const SEED = Number(process.env['HONEST_SEED'] ?? 20_261_121);

it(
  'no honest ledger raises an alarm, whatever its life was',
  async () => {
    const alarms: string[] = [];
    let verifications = 0;
    let entries = 0;
    let files = 0;
    for (let seed = SEED; seed < SEED + LIVES; seed += 1) {
      const life = await live(seed);
      alarms.push(...life.falseAlarms);
      verifications += life.verifications;
      entries += life.entries;
      files += life.files;
    }
    expect(alarms).toEqual([]);
    expect(verifications).toBeGreaterThan(LIVES);
    expect(files).toBeGreaterThan(LIVES);
    const counts = `${entries} entries in ${files} files, ${verifications} verifications`;
    if (isLong) console.info(`${LIVES} honest ledgers, ${counts}, no alarm`);
  },
  isLong ? 7_200_000 : 600_000,
);
