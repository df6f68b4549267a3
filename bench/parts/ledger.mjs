import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLedger, openLedger } from '@subluminal/ledger';
import { groupOf } from '../../packages/ledger/bench/rows.mjs';
import { throughput } from '../measure.mjs';
import { script } from './script.mjs';

/** Appends against the same rows and indexes without hashes. */
export const append = script('packages/ledger/bench/append.mjs', {
  short: ['1', '3000'],
  full: ['5', '24000'],
});

/** Offline verification of a generated ledger. */
export const verify = script('packages/ledger/bench/verify.mjs', {
  short: ['1', '6000'],
  full: ['5', '1000000'],
});

/**
 * The ledger alone: actions a second with `inFlight` callers, each of which waits for its pending entry to be on disk
 * and then for its result.
 */
export async function appendRate({ actions, inFlight }) {
  const folder = mkdtempSync(join(tmpdir(), 'sub-bench-ledger-'));
  const path = join(folder, 'ledger.db');
  const { privateKey } = generateKeyPairSync('ed25519');
  createLedger({ path, ledgerId: 'bench', createdMs: 0, version: '0.1.0', signingKey: privateKey });
  const ledger = await openLedger({
    path,
    signingKey: { privateKey },
    headsLog: join(folder, 'memory', 'heads.log'),
    durability: 'fsync',
    clock: Date.now,
  });
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
