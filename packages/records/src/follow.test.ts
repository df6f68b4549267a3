import { generateKeyPairSync } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { createLedger, openLedger, openLedgerReader, type Ledger } from '@subluminal/ledger';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { follow } from './follow.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'subl-follow-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

async function makeLedger(path: string): Promise<Ledger> {
  const signingKey = generateKeyPairSync('ed25519').privateKey;
  const sealKeyPath = join(folder, 'seal');
  createLedger({ path, ledgerId: 'test', createdMs: 1, version: '0.1.0', signingKey, sealKeyPath });
  const key = { privateKey: signingKey };
  const clock = (): number => 1_760_000_000_000;
  return openLedger({ path, signingKey: key, sealKeyPath, durability: 'process', segmentBytes: 1, clock });
}

it('follows a ledger into its next files, and keeps it from none', async () => {
  const path = join(folder, 'ledger.db');
  const ledger = await makeLedger(path);
  const reader = openLedgerReader(path);
  const seqs: number[] = [];
  let isWritten = false;
  const writing = (async () => {
    for (let round = 0; round < 24; round += 1) {
      const entries = Array.from({ length: 250 }, () => {
        return { type: 'shim_health' as const, ts: 1, runId: null, data: { round } };
      });
      await ledger.append({ entries });
      await setTimeout(5);
    }
    isWritten = true;
  })();
  const wanted = (): boolean => !isWritten || (seqs.at(-1) ?? 0) < ledger.head().seq;
  for await (const row of follow(reader, path, 0, wanted)) if (row !== null) seqs.push(row.seq);
  await writing;
  reader.close();
  expect(existsSync(join(folder, 'segments'))).toBe(true);
  expect(seqs).toEqual(Array.from({ length: ledger.head().seq }, (_, at) => at + 1));
  await ledger.close();
}, 60_000);
