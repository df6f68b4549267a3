import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFresh, openAt } from '../../packages/ledger/bench/fresh.mjs';
import { groupOf } from '../../packages/ledger/bench/rows.mjs';
import { throughput } from '../measure.mjs';
import { script } from './script.mjs';

const bench = (name) => `packages/ledger/bench/${name}.mjs`;

/** Appends against the same rows and indexes without hashes, on this disk and on slower ones. */
export const append = script(bench('append'), {
  short: ['1', '1000', '0,2'],
  full: ['7', '24000', '0,0.5,2,10'],
});

/** Actions that wait for their pending entry, many at once, on this disk and on slower ones. */
export const groupCommit = script(bench('group-commit'), {
  short: ['1', '100', '0,2', '1,32'],
  full: ['7', '400', '0,2,10', '1,32,128'],
});

/** Offline verification of a generated ledger, against reading alone and against sealed journal files. */
export const verify = script(bench('verify'), { short: ['1', '10000'], full: ['7', '1000000'] });

/** Opening, committing and asking: a small ledger beside a large one. */
export const growth = script(bench('growth'), { short: ['1', '10000'], full: ['7', '1000000'] });

/** More calls than the ledger can take. */
export const overload = script(bench('overload'), { short: ['2'], full: ['60'] });

/**
 * The ledger alone: actions a second with `inFlight` callers, each of which waits for its pending entry to be
 * on disk and then for its result.
 */
export async function appendRate({ actions, inFlight }) {
  const folder = mkdtempSync(join(tmpdir(), 'sub-bench-ledger-'));
  const ledger = await openAt(createFresh(folder));
  try {
    return await throughput(
      async (call) => {
        const { entries } = await ledger.append(groupOf({ call, ends: false }));
        await ledger.append(groupOf({ call, ends: true }, entries[1].seq));
      },
      actions,
      inFlight,
    );
  } finally {
    await ledger.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
