import { expect, it } from 'vitest';
import type { FileState } from '../diff/change.js';
import { pathOfText } from '../files/byte-path.js';
import { digestOf } from './digest.js';
import type { CommitStep } from './steps.js';

const file: FileState = {
  kind: 'file',
  mode: 0o644,
  size: 3,
  inode: 7n,
  changedAt: 1n,
  modifiedAt: 1n,
  sha256: 'a'.repeat(64),
  target: undefined,
};
const put = (path: string, from: FileState): CommitStep => ({
  does: 'put_file',
  path: pathOfText(path),
  now: undefined,
  from,
  mode: 0o644,
});

it('the digest of a plan is that of what it does: of content, order and names, and of no inode or time', () => {
  const steps = [put('a', file), put('b', file)];
  const digest = digestOf({ steps });
  expect(digest).toMatch(/^[0-9a-f]{64}$/);
  expect(digestOf({ steps: [put('a', { ...file, inode: 8n, changedAt: 2n }), put('b', file)] })).toBe(digest);
  for (const other of [
    steps.toReversed(),
    [put('a', file)],
    [put('a', { ...file, sha256: 'b'.repeat(64) }), put('b', file)],
    [put('c', file), put('b', file)],
  ])
    expect(digestOf({ steps: other })).not.toBe(digest);
  expect(digestOf({ steps: [] })).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
});
