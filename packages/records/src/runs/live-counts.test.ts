import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createLedger,
  type EntryInput,
  type LedgerReader,
  openLedger,
  openLedgerReader,
  type SweepQuestion,
} from '@subluminal/ledger';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { LiveCounts } from './live-counts.js';

const [ONE, OTHER] = ['AbCdEfGhIjKlMnOp', 'BbCdEfGhIjKlMnOp'];
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'subl-live-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Appends entries in a life of the ledger of its own, in the next file. */
async function write(entries: readonly EntryInput[]): Promise<void> {
  const path = join(folder, 'ledger.db');
  const ledger = await openLedger({
    path,
    signingKey: { privateKey: KEY },
    sealKeyPath: join(folder, 'seal'),
    durability: 'process',
    segmentBytes: 1,
    clock: () => 1_760_000_000_000,
  });
  await ledger.append({ entries: [...entries] });
  await ledger.close();
}

const KEY = generateKeyPairSync('ed25519').privateKey;
const begins = (runId: string): EntryInput => ({ type: 'run_start', ts: 1, runId, data: {} });
const ends = (runId: string): EntryInput => ({ type: 'run_end', ts: 9, runId, code: 'SUCCEEDED', data: {} });
const decided = (runId: string, code: 'ALLOW' | 'BLOCK'): readonly EntryInput[] => [
  { type: 'tool_call_start', ts: 2, runId, tool: ['fs', 'read'], data: {} },
  { type: 'tool_call_decision', ts: 2, runId, tool: ['fs', 'read'], code, data: {} },
];

it('counts on from what it counted before, whichever runs are asked for, and lets go of one that ended', async () => {
  const path = join(folder, 'ledger.db');
  const seal = join(folder, 'seal');
  createLedger({
    path,
    ledgerId: 'test',
    createdMs: 1,
    version: '0.1.0',
    signingKey: KEY,
    sealKeyPath: seal,
  });
  await write([begins(ONE), begins(OTHER), ...decided(ONE, 'ALLOW'), ...decided(OTHER, 'BLOCK')]);
  const reader = openLedgerReader(path);
  const asked: SweepQuestion[] = [];
  const watched: Pick<LedgerReader, 'sweep'> = {
    sweep(question) {
      asked.push(question);
      return reader.sweep(question);
    },
  };
  const counts = new LiveCounts();
  const of = (...runIds: string[]): unknown =>
    [...counts.of(watched, runIds)].map(([id, { calls_allowed, calls_blocked, calls_total }]) => [
      id,
      [calls_total, calls_allowed, calls_blocked],
    ]);
  expect(of(ONE)).toEqual([[ONE, [1, 1, 0]]]);
  expect(of(OTHER)).toEqual([
    [OTHER, [1, 0, 1]],
    [ONE, [1, 1, 0]],
  ]);
  reader.release();
  await write([...decided(ONE, 'BLOCK'), ...decided(OTHER, 'ALLOW')]);
  expect(of(ONE)).toEqual([
    [ONE, [2, 1, 1]],
    [OTHER, [2, 1, 1]],
  ]);
  expect(asked.at(-1)?.memory).toMatchObject({ upTo: 7, runs: [{ runId: OTHER }, { runId: ONE }] });
  reader.release();
  await write([...decided(ONE, 'ALLOW'), ends(OTHER)]);
  expect(of(OTHER)).toEqual([[ONE, [3, 2, 1]]]);
  expect(of()).toEqual([]);
  expect([...new LiveCounts().of(reader, [ONE]).values()]).toEqual([...counts.of(reader, [ONE]).values()]);
  reader.close();
});
