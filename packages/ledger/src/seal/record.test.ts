import { createPublicKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import nacl from 'tweetnacl';
import { describe, expect, it } from 'vitest';
import { keyFromSeed, Scratch } from '../../testing/scratch.js';
import { openLedgerReader } from '../index.js';
import { publicKeyFromRaw, rawPublicKey } from '@subluminal/core-types';
import { isSealedBy, keyText, readSeal, sealText, signSeal } from './record.js';

const KEY = keyFromSeed(5);
const SEAL = {
  n: 2,
  size: 1025,
  root: Buffer.alloc(32, 1).toString('base64'),
  nextKey: keyText(createPublicKey(keyFromSeed(6))),
};

interface Vectors {
  readonly ledger_id: string;
  readonly valid: readonly { readonly key: string; readonly text: string; readonly data: string }[];
  readonly invalid: readonly { readonly name: string; readonly key: string; readonly data: string }[];
}

const VECTORS: Vectors = JSON.parse(
  readFileSync(new URL('../../../../vectors/seals.json', import.meta.url), 'utf8'),
);

describe('the vectors of seals', () => {
  const opens = (key: string, data: string): boolean => {
    const seal = readSeal(data);
    return (
      seal !== undefined && isSealedBy(VECTORS.ledger_id, seal, publicKeyFromRaw(Buffer.from(key, 'base64')))
    );
  };

  it('verify under the key of the seal before', () => {
    let inForce = VECTORS.valid[0]?.key;
    for (const { key, text, data } of VECTORS.valid) {
      const seal = readSeal(data);
      if (seal === undefined) throw new Error(data);
      expect(key).toBe(inForce);
      expect(sealText(VECTORS.ledger_id, seal)).toBe(text);
      expect(opens(key, data)).toBe(true);
      inForce = seal.nextKey;
    }
  });

  it.each(VECTORS.invalid)('refuse $name', ({ key, data }) => {
    expect(opens(key, data)).toBe(false);
  });
});

describe('a seal', () => {
  it('signs exactly this text', () => {
    expect(sealText('L1', SEAL)).toBe(
      [
        'subl/seal/v1',
        'L1',
        '2',
        '1025',
        'AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=',
        'iodf/x6zhFFXes1a/uQFRWVo3XyJ4JCGOgVXvHr0nxc=',
        '',
      ].join('\n'),
    );
  });

  it('is read back from its data and from nothing else', () => {
    const data = signSeal('L1', SEAL, KEY);
    const seal = readSeal(data);
    expect(seal).toMatchObject(SEAL);
    expect(Object.keys(JSON.parse(data))).toEqual(['n', 'next_key', 'root', 'sig', 'size']);
    for (const other of [
      data.replace('"n":2', '"n":02'),
      data.replace('"n":2', '"n":0'),
      data.replace(',"size"', ', "size"'),
      data.replace('AQE="', 'AQF="'),
      `${data} `,
      '{}',
      data.replace('"n":2', '"n":9999999999999999'),
      '{"n":NaN,"next_key":"","root":"","sig":"","size":NaN}',
    ]) {
      expect(readSeal(other)).toBeUndefined();
    }
    expect(seal !== undefined && isSealedBy('L1', seal, createPublicKey(KEY))).toBe(true);
    expect(seal !== undefined && isSealedBy('L2', seal, createPublicKey(KEY))).toBe(false);
    expect(seal !== undefined && isSealedBy('L1', { ...seal, n: 3 }, createPublicKey(KEY))).toBe(false);
  });

  it('of a written ledger verifies with another implementation of Ed25519, from public data alone', async () => {
    const scratch = await new Scratch().fill();
    const reader = openLedgerReader(scratch.path);
    const { ledgerId, sealKey } = reader.genesis;
    const { data } = reader.byType('seal').rows[0] ?? { data: {} };
    reader.close();
    scratch.remove();
    const seal = readSeal(JSON.stringify(data));
    if (seal === undefined) throw new Error('there is no seal');
    expect(seal).toMatchObject({ n: 1, size: 33 });
    const verifies = (text: string) =>
      nacl.sign.detached.verify(Buffer.from(text), Buffer.from(seal.sig, 'base64'), rawPublicKey(sealKey));
    expect(verifies(sealText(ledgerId, seal))).toBe(true);
    expect(verifies(sealText(ledgerId, { ...seal, size: 32 }))).toBe(false);
  });
});
