import { describe, expect, it } from 'vitest';
import type { Change, FileState } from '../diff/change.js';
import { pathOfText } from '../files/byte-path.js';
import { type Look, lookDigest, overwriteDigest } from './look-digest.js';

const file: FileState = {
  kind: 'file',
  mode: 0o644,
  size: 3,
  inode: 7n,
  changedAt: 1n,
  modifiedAt: 1n,
  sha256: undefined,
  target: undefined,
};
const path = pathOfText('a');
const change: Change = { path, how: 'modified', before: file, after: file, isStale: false };
const plan: Look['plan'] = {
  steps: [],
  already: [],
  conflicts: [],
  refusals: [],
  waiting: [],
  agreed: [],
  gitsOwn: [],
  stripped: [],
  isPartial: false,
};
const look: Look = { changes: [change], plan, pins: [] };
const withFile = (after: Partial<FileState>): Look => ({
  ...look,
  changes: [{ ...change, after: { ...file, ...after } }],
});
const ask = { path, risks: ['build'], pattern: undefined } as const;

describe('the digest of a look', () => {
  const digest = lookDigest(look);

  it('is another one for whatever else is shown, and for another file of the same size and times', () => {
    const others: readonly Look[] = [
      withFile({ size: 4 }),
      withFile({ mode: 0o755 }),
      withFile({ inode: 8n }),
      withFile({ changedAt: 2n }),
      withFile({ kind: 'link', target: pathOfText('b') }),
      { ...look, changes: [] },
      { ...look, changes: [{ ...change, path: pathOfText('b') }] },
      { ...look, changes: [{ ...change, how: 'added' }] },
      { ...look, changes: [{ ...change, isStale: true }] },
      { ...look, changes: [change, { ...change, path: pathOfText('b') }] },
      { ...look, plan: { ...plan, conflicts: [{ path, why: 'changed' }] } },
      { ...look, plan: { ...plan, conflicts: [{ path, why: 'stale' }] } },
      { ...look, plan: { ...plan, refusals: [{ path, why: 'leads_out' }] } },
      { ...look, plan: { ...plan, waiting: [ask] } },
      { ...look, plan: { ...plan, waiting: [{ ...ask, pattern: 'a*' }] } },
      { ...look, plan: { ...plan, gitsOwn: [path] } },
      { ...look, plan: { ...plan, stripped: [path] } },
      { ...look, plan: { ...plan, isPartial: true } },
    ];
    const all = [digest, ...others.map((one) => lookDigest(one))];
    expect(all.every((one) => /^[0-9a-f]{64}$/.test(one))).toBe(true);
    expect(new Set(all).size).toBe(all.length);
  });

  it('of what is asked about is that of its bytes: a file that was opened to be read has another time', () => {
    const asked: Look = { ...look, plan: { ...plan, waiting: [ask] } };
    const pinned = (sha256: string, changedAt: bigint): string =>
      lookDigest({ ...asked, pins: [{ ...ask, after: { ...file, sha256, changedAt } }] });
    expect(pinned('a'.repeat(64), 2n)).toBe(pinned('a'.repeat(64), 1n));
    expect(pinned('b'.repeat(64), 1n)).not.toBe(pinned('a'.repeat(64), 1n));
  });

  it('does not know of times alone', () => {
    const touched: Change = { ...change, path: pathOfText('b'), how: 'touched' };
    expect(lookDigest({ ...look, changes: [change, touched] })).toBe(digest);
    expect(lookDigest(withFile({ modifiedAt: 2n }))).toBe(digest);
  });
});

describe('the digest of what is lost', () => {
  it('is another one for another look, and for whatever else the project has there', () => {
    const digest = 'a'.repeat(64);
    const one = { path, state: file, ask: undefined };
    const of = (state: Partial<FileState>): string =>
      overwriteDigest(digest, [{ ...one, state: { ...file, ...state } }]);
    const all = [
      overwriteDigest(digest, []),
      overwriteDigest(digest, [one]),
      overwriteDigest('b'.repeat(64), [one]),
      overwriteDigest(digest, [{ ...one, path: pathOfText('b') }]),
      overwriteDigest(digest, [{ ...one, state: undefined }]),
      overwriteDigest(digest, [{ ...one, ask }]),
      of({ inode: 8n }),
      of({ changedAt: 2n }),
      of({ size: 4 }),
      of({ mode: 0o755 }),
      of({ kind: 'link', target: pathOfText('b') }),
    ];
    expect(new Set(all).size).toBe(all.length);
    expect(of({ modifiedAt: 9n })).toBe(all[1]);
  });
});
