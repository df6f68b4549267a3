import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Altered, said } from '../../testing/altered.js';
import { fillRun } from '../../testing/scratch.js';
import { verifyLedger, type OutsideMemory } from '../index.js';

/** Files of the entries 1 to 13 and 14 to 25. */
let ledger: Altered;
beforeAll(async () => {
  ledger = await Altered.write(
    (open) => fillRun(open, 'run-a', 3),
    (open) => fillRun(open, 'run-b', 3),
  );
});
afterAll(() => ledger.remove());

const [CLOSED, NEWEST] = [13, 25];
const OTHER = 'ab'.repeat(32);

const receipt = (seq: number, leaf = ledger.leaves(seq).at(-1) ?? ''): OutsideMemory => ({
  receipts: [{ seq, leaf }],
});
const anchor = (size: number, root = ledger.tree(size).root()): OutsideMemory => ({
  anchors: [{ size, root, source: 'a file' }],
});

type Case = readonly [string, () => OutsideMemory, string];

const CASES: readonly Case[] = [
  ['a receipt for the first entry behind the end of a file', () => receipt(CLOSED + 1), 'unproven'],
  ['a receipt for the newest entry', () => receipt(NEWEST), 'unproven'],
  ['a receipt for another leaf', () => receipt(20, OTHER), 'receipt at 20: a receipt names another leaf'],
  [
    'a receipt for another leaf at the end of a file',
    () => receipt(CLOSED, OTHER),
    `receipt at ${CLOSED}: a receipt names another leaf`,
  ],
  [
    'a receipt for an entry that is not there',
    () => receipt(NEWEST + 1, OTHER),
    `receipt at ${NEWEST + 1}: it is not there, and a receipt names it`,
  ],
  ['an anchor of no entries', () => anchor(0), 'unproven'],
  ['an anchor of the end of a file', () => anchor(CLOSED), 'unproven'],
  ['an anchor of the newest entry', () => anchor(NEWEST), 'unproven'],
  [
    'an anchor of no entries, with another root',
    () => anchor(0, OTHER),
    'anchor at 0: a file names another root at this size',
  ],
  [
    'an anchor of the end of a file, with another root',
    () => anchor(CLOSED, OTHER),
    `anchor at ${CLOSED}: a file names another root at this size`,
  ],
  [
    'an anchor with another root',
    () => anchor(20, OTHER),
    'anchor at 20: a file names another root at this size',
  ],
  [
    'an anchor of more entries',
    () => anchor(NEWEST + 5, OTHER),
    `anchor at ${NEWEST + 1}: it is not there, a file knows ${NEWEST + 5} entries`,
  ],
  [
    'the second of two receipts',
    () => ({ receipts: [...(receipt(15).receipts ?? []), { seq: 20, leaf: OTHER }] }),
    'receipt at 20: a receipt names another leaf',
  ],
  [
    'an anchor beside a receipt for the same entry',
    () => ({ ...receipt(20), ...anchor(20, OTHER) }),
    'anchor at 20: a file names another root at this size',
  ],
  [
    'an anchor that is damaged',
    () => ({ brokenAnchor: 'a file is damaged' }),
    'anchor at 0: a file is damaged',
  ],
];

describe('held against a whole ledger', () => {
  it.each<Case>([
    ...CASES,
    ['a receipt for an entry of an older file', () => receipt(5), 'unproven'],
    [
      'a receipt for another leaf of an older file',
      () => receipt(5, OTHER),
      'receipt at 5: a receipt names another leaf',
    ],
    [
      'an anchor in an older file, with another root',
      () => anchor(5, OTHER),
      'anchor at 5: a file names another root at this size',
    ],
  ])('%s', async (_, memory, finding) => {
    expect(said(await verifyLedger(ledger.scratch.path, { ...memory() }))).toBe(finding);
  });

  it('a receipt for what comes before the first entry', async () => {
    const { genesisFingerprint } = await ledger.scratch.verify();
    const memory = receipt(0, genesisFingerprint ?? '');
    expect(said(await verifyLedger(ledger.scratch.path, { ...memory }))).toBe(
      'receipt at 0: it is not there, and a receipt names it',
    );
  });
});

describe('held against a ledger without its older files', () => {
  const verify = async (memory: OutsideMemory) => {
    const copy = ledger.copy();
    rmSync(join(copy.folder, 'segments'), { recursive: true });
    const report = await verifyLedger(copy.path, { ...memory });
    copy.remove();
    return report;
  };
  const UNSEEN = (count: number): string =>
    `${count} of the receipts and anchors could not be checked: their entries are in files that are not there`;

  it.each(CASES)('%s', async (_, memory, finding) => {
    const report = await verify(memory());
    expect(said(report)).toBe(finding);
    expect(report.reasons).not.toContainEqual(expect.stringContaining('could not be checked'));
  });

  it('what speaks of older files is not held against anything, and counted', async () => {
    const memory = {
      receipts: [5, 12, 20].map((seq) => ({
        seq,
        leaf: seq === 20 ? (ledger.leaves(20).at(-1) ?? '') : OTHER,
      })),
      anchors: [5, 20].map((size) => ({
        size,
        root: size === 20 ? ledger.tree(20).root() : OTHER,
        source: 'a file',
      })),
    };
    const report = await verify(memory);
    expect(said(report)).toBe('unproven');
    expect(report.reasons).toContain(UNSEEN(3));
  });
});
