import { createPublicKey } from 'node:crypto';
import { describe, expect, it, vi } from 'vitest';
import { keyFromSeed, SIGNING_KEY } from '../../testing/scratch.js';
import { CheckpointSigner, logSignedPart, openCheckpoint, signCheckpoint } from './note.js';

const CHECKPOINT = { size: 3, root: 'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77' };
const PUBLIC_KEY = createPublicKey(SIGNING_KEY);
const NOTE = signCheckpoint('L1', CHECKPOINT, { log: SIGNING_KEY });

describe('a signed checkpoint', () => {
  it('is a C2SP note: origin, size, root, an empty line and one signature', () => {
    expect(NOTE).toBe(
      [
        'subluminal/L1',
        '3',
        'rra8/idLcKFPsGel5VeCZNsPqbUa9eC6FZFY8yngbnc=',
        '',
        '— subluminal/L1 v1IS0UGG2B/cEfGlU1t3cirjZrYmgrmETIWrDUFSsf80ecJTexJzluyp4pa3AHK7ntDSCLXYSgSIgHnh42G9tjQCmA8=',
        '',
      ].join('\n'),
    );
  });

  it('opens under the key that signed it', () => {
    expect(openCheckpoint('L1', NOTE, { log: PUBLIC_KEY })).toEqual(CHECKPOINT);
  });

  it('does not open under another key or for another ledger', () => {
    expect(openCheckpoint('L1', NOTE, { log: createPublicKey(keyFromSeed(8)) })).toBeUndefined();
    expect(openCheckpoint('L2', NOTE, { log: PUBLIC_KEY })).toBeUndefined();
  });

  it('does not open with any single byte changed, added or taken away', () => {
    for (let at = 0; at < NOTE.length; at += 1) {
      const changed = String.fromCharCode(NOTE.charCodeAt(at) ^ 1);
      for (const middle of [changed, '', `${NOTE[at]}x`]) {
        expect(
          openCheckpoint('L1', NOTE.slice(0, at) + middle + NOTE.slice(at + 1), { log: PUBLIC_KEY }),
        ).toBeUndefined();
      }
    }
    expect(openCheckpoint('L1', `${NOTE}\n`, { log: PUBLIC_KEY })).toBeUndefined();
  });

  it('does not open where the size is written another way', () => {
    expect(openCheckpoint('L1', NOTE.replace('\n3\n', '\n03\n'), { log: PUBLIC_KEY })).toBeUndefined();
    expect(openCheckpoint('L1', NOTE.replace('\n3\n', '\n3.0\n'), { log: PUBLIC_KEY })).toBeUndefined();
  });
});

describe('a note whose signature is right', () => {
  const open = (checkpoint: { size: number; root: string }): unknown =>
    openCheckpoint('L1', signCheckpoint('L1', checkpoint, { log: SIGNING_KEY }), { log: PUBLIC_KEY });

  it.each([0, 1, Number.MAX_SAFE_INTEGER])('opens with the size %d', (size) => {
    expect(open({ ...CHECKPOINT, size })).toEqual({ ...CHECKPOINT, size });
  });

  it.each([NaN, Infinity, 1.5, 2 ** 53, 1e21])('does not open with the size %d', (size) => {
    expect(open({ ...CHECKPOINT, size })).toBeUndefined();
  });

  it.each([0, 1, 31, 33, 64])('does not open with a root of %d bytes', (length) => {
    expect(open({ ...CHECKPOINT, root: '07'.repeat(length) })).toBeUndefined();
  });
});

describe('a note whose text is right', () => {
  const blob = Buffer.from(NOTE.split(' ').at(-1) ?? '', 'base64');
  const withBlob = (bytes: Buffer): string =>
    `${NOTE.slice(0, NOTE.lastIndexOf(' ') + 1)}${bytes.toString('base64')}\n`;

  it('opens with the signature as it was made', () => {
    expect(openCheckpoint('L1', withBlob(blob), { log: PUBLIC_KEY })).toEqual(CHECKPOINT);
  });

  it.each([
    ['none', Buffer.alloc(0)],
    ['a key hash alone', blob.subarray(0, 4)],
    ['one a byte too short', blob.subarray(0, -1)],
    ['one a byte too long', Buffer.concat([blob, Buffer.alloc(1)])],
    ['one that stands twice', Buffer.concat([blob, blob.subarray(4)])],
    ['one of zeros', Buffer.concat([blob.subarray(0, 4), Buffer.alloc(64)])],
    ['the key hash of another key', Buffer.concat([Buffer.alloc(4), blob.subarray(4)])],
  ])('does not open with this as a signature: %s', (_, bytes) => {
    expect(openCheckpoint('L1', withBlob(bytes), { log: PUBLIC_KEY })).toBeUndefined();
  });
});

describe('a note with the seal key’s signature', () => {
  const seal = keyFromSeed(8);
  const sealed = signCheckpoint('L1', CHECKPOINT, { log: SIGNING_KEY, seal });
  const keys = { log: PUBLIC_KEY, seal: createPublicKey(seal) };

  it('opens under both keys, and under neither alone', () => {
    expect(openCheckpoint('L1', sealed, keys)).toEqual(CHECKPOINT);
    expect(openCheckpoint('L1', sealed, { log: PUBLIC_KEY })).toBeUndefined();
    expect(openCheckpoint('L1', NOTE, keys)).toBeUndefined();
    expect(openCheckpoint('L1', sealed, { log: keys.seal, seal: keys.log })).toBeUndefined();
  });

  it('is, up to the first signature, what somebody with the log key alone opens', () => {
    expect(logSignedPart(sealed)).toBe(NOTE);
    expect(logSignedPart(NOTE)).toBe(NOTE);
  });

  it('is left as it is where its first signature has no end', () => {
    expect(logSignedPart(NOTE.slice(0, -1))).toBe(NOTE.slice(0, -1));
    expect(logSignedPart('no note')).toBe('no note');
  });
});

describe('a signer of many checkpoints', () => {
  const [first, second] = [keyFromSeed(8), keyFromSeed(9)];
  const at = (size: number): { size: number; root: string } => ({ ...CHECKPOINT, size });

  it('signs each as one that signs it alone does, also when a seal key follows another', () => {
    const signer = new CheckpointSigner('L1');
    for (const [size, seal] of [first, first, second, first].entries()) {
      const keys = { log: SIGNING_KEY, seal };
      expect(signer.sign(at(size), keys)).toBe(signCheckpoint('L1', at(size), keys));
    }
    expect(signer.sign(CHECKPOINT, { log: SIGNING_KEY })).toBe(NOTE);
  });

  it('exports each key once, however many it signs', () => {
    const exported = vi.spyOn(Object.getPrototypeOf(PUBLIC_KEY), 'export');
    try {
      const signer = new CheckpointSigner('L1');
      for (let size = 0; size < 10; size += 1) signer.sign(at(size), { log: SIGNING_KEY, seal: first });
      expect(exported).toHaveBeenCalledTimes(2);
      signer.sign(CHECKPOINT, { log: SIGNING_KEY, seal: second });
      expect(exported).toHaveBeenCalledTimes(3);
    } finally {
      exported.mockRestore();
    }
  });
});
