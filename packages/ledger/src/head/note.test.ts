import { createPublicKey } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { keyFromSeed, SIGNING_KEY } from '../../testing/scratch.js';
import { openCheckpoint, signCheckpoint } from './note.js';

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
