import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  signHead,
  snapshotPublicText,
  snapshotSigningKey,
  verifyHead,
  type SnapshotHead,
} from './snapshot-head.js';

const head: SnapshotHead = {
  v: 1,
  id: 'a'.repeat(22),
  run_id: 'run-1',
  shim_id: 'shim-1',
  server_name: 'files',
  issued_ms: 1000,
  expires_ms: 2000,
  policy: { policy_id: 'team', policy_version: '1', policy_hash: 'ab' },
  body_hash: 'cd',
};

describe('the signature of a snapshot', () => {
  const seed = randomBytes(32);
  const key = snapshotSigningKey(seed);
  const publicText = snapshotPublicText(key);
  const signature = signHead(key, head);

  it('verifies with the public half, which the same seed always gives', () => {
    expect(publicText).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(snapshotPublicText(snapshotSigningKey(seed))).toBe(publicText);
    expect(verifyHead(publicText, head, signature)).toBe(true);
  });

  it('does not verify where any field was changed', () => {
    const changes: Partial<SnapshotHead>[] = [
      { id: 'b'.repeat(22) },
      { run_id: 'run-2' },
      { shim_id: 'shim-2' },
      { server_name: 'mail' },
      { issued_ms: 1001 },
      { expires_ms: 2_000_000 },
      { policy: { ...head.policy, policy_hash: 'ac' } },
      { body_hash: 'ce' },
    ];
    for (const change of changes)
      expect(verifyHead(publicText, { ...head, ...change }, signature)).toBe(false);
  });

  it('does not verify with another key, another signature or what is neither', () => {
    const other = snapshotSigningKey(randomBytes(32));
    expect(verifyHead(snapshotPublicText(other), head, signature)).toBe(false);
    expect(verifyHead(publicText, head, signHead(other, head))).toBe(false);
    expect(verifyHead(publicText, head, '')).toBe(false);
    expect(verifyHead('no key', head, signature)).toBe(false);
  });
});
