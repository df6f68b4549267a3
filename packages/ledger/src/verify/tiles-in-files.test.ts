import { afterAll, beforeAll, expect, it } from 'vitest';
import { Altered, sql } from '../../testing/altered.js';
import { fillRun } from '../../testing/scratch.js';
import type { Ledger } from '../index.js';

/** Files of the entries 1 to 260 and from there to the second tile and a few more. */
let ledger: Altered;
beforeAll(async () => {
  ledger = await Altered.write(
    (open) => fillTo(open, 257),
    (open) => fillTo(open, 515),
  );
});
afterAll(() => ledger.remove());

async function fillTo(open: Ledger, size: number): Promise<void> {
  await fillRun(open, `run-${size}`, 1);
  const more = Array.from({ length: size - open.head().seq }, (_, at) =>
    open.append({ entries: [{ type: 'shim_health', ts: at, runId: null, data: {} }] }),
  );
  await Promise.all(more);
}

it('each file has the tiles that its entries complete, and those of all before it', async () => {
  expect(await ledger.found(() => undefined)).toBe('ok');
});

it.each([
  ['UPDATE tile SET hash = zeroblob(32) WHERE idx = 0', 1, 'is not what its entries give (`1-1-260.db`)'],
  ['DELETE FROM tile WHERE idx = 0', 1, 'is missing (`1-1-260.db`)'],
  ['DELETE FROM tile WHERE idx = 0', 2, 'is missing'],
])('or it is found wrong: %s in file %d', async (text, file, detail) => {
  expect(await ledger.found(sql(text), file)).toBe(`tile at 1: the tile 1/0 ${detail}`);
});

it.each([
  [0, 'tile at 1: the tiles of the first 256 entries do not give their tree'],
  [1, 'tile at 257: the tile 1/1 is not what its entries give'],
])('or it is found wrong where tile %d is another', async (index, finding) => {
  const other = sql(`UPDATE tile SET hash = zeroblob(32) WHERE lvl = 1 AND idx = ${index}`);
  expect(await ledger.found(other, 2)).toBe(finding);
});
