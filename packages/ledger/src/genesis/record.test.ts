import { canonicalize, type JsonObject, rawPublicKey, sha256Hex } from '@subluminal/core-types';
import { createPublicKey } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { keyFromSeed, SIGNING_KEY } from '../../testing/scratch.js';
import { genesisRecord, isLedgerId, readGenesis } from './record.js';

const LOG_KEY = rawPublicKey(createPublicKey(SIGNING_KEY));
const SEAL_KEY = rawPublicKey(createPublicKey(keyFromSeed(8)));
const GOOD = {
  v: 2,
  type: 'genesis',
  ledger_id: 'L1',
  created: 1_760_000_000_000,
  schema: 'ab'.repeat(32),
  version: '0.1.0',
  public_key: LOG_KEY.toString('base64'),
  seal_key: SEAL_KEY.toString('base64'),
};

/** The good record, canonical, with some members otherwise. */
const record = (changed: JsonObject = {}): string => canonicalize({ ...GOOD, ...changed });

/** The good record, canonical, without one member. */
function without(name: string): string {
  return canonicalize(Object.fromEntries(Object.entries(GOOD).filter(([member]) => member !== name)));
}

describe('a genesis record', () => {
  it('reads to what it says, with its hash as the fingerprint', () => {
    const genesis = readGenesis(record());
    if (genesis === undefined) throw new Error('not read');
    expect(genesis).toMatchObject({
      ledgerId: 'L1',
      createdMs: 1_760_000_000_000,
      schemaHash: 'ab'.repeat(32),
      version: '0.1.0',
      fingerprint: sha256Hex(record()),
    });
    expect([rawPublicKey(genesis.publicKey), rawPublicKey(genesis.sealKey)]).toEqual([LOG_KEY, SEAL_KEY]);
    expect(genesisRecord(genesis)).toBe(record());
  });

  it.each(Object.keys(GOOD))('is refused without `%s`', (name) => {
    expect(readGenesis(without(name))).toBeUndefined();
  });

  describe.each(Object.keys(GOOD))('with another type of `%s`', (name) => {
    it.each([null, true, 5, 'other', [], {}, ['L1']])('is refused: %j', (value) => {
      const isItsType = (name === 'created' && value === 5) || (isFreeText(name) && value === 'other');
      expect(readGenesis(record({ [name]: value })) === undefined).toBe(!isItsType);
    });
  });

  it.each([0, 1, 3, -1, 1.5, '2'])('is refused with the version %j', (v) => {
    expect(readGenesis(record({ v }))).toBeUndefined();
  });

  it.each(['', 'a b', 'a/b', 'a\nb', 'L1\n', 'ä', 'a'.repeat(65)])(
    'is refused with the ledger id %j',
    (ledgerId) => {
      expect(isLedgerId(ledgerId)).toBe(false);
      expect(readGenesis(record({ ledger_id: ledgerId }))).toBeUndefined();
    },
  );

  it.each(['a', 'Z_9-', 'a'.repeat(64)])('is read with the ledger id %j', (ledgerId) => {
    expect(readGenesis(record({ ledger_id: ledgerId }))?.ledgerId).toBe(ledgerId);
  });

  describe.each(['public_key', 'seal_key'])('with a `%s`', (name) => {
    it.each([0, 31, 33, 64])('of %d bytes is refused', (length) => {
      expect(readGenesis(record({ [name]: Buffer.alloc(length, 7).toString('base64') }))).toBeUndefined();
    });

    it('in another spelling of its bytes is refused', () => {
      const text = SEAL_KEY.toString('base64');
      for (const other of [text.slice(0, -1), `${text} `, SEAL_KEY.toString('hex')])
        expect(readGenesis(record({ [name]: other }))).toBeUndefined();
    });
  });

  it.each([
    ['nothing', ''],
    ['half of it', record().slice(0, -10)],
    ['null', 'null'],
    ['a number', '5'],
    ['a text', '"genesis"'],
    ['a list', '[]'],
    ['an empty object', '{}'],
    ['one member more', record({ more: 1 })],
    ['a space behind it', `${record()} `],
    ['a line feed behind it', `${record()}\n`],
    ['a space inside', record().replace(',', ', ')],
    ['its members in another order', JSON.stringify(GOOD)],
    ['a member twice', record().replace('"v":2', '"v":2,"v":2')],
    ['a number written otherwise', record().replace('"v":2', '"v":2.0')],
    ['a letter as an escape', record().replace('"L1"', '"\\u004c1"')],
  ])('is refused as %s', (_, text) => {
    expect(readGenesis(text)).toBeUndefined();
  });
});

/** Any text may stand in these: what they say is held against something else. */
function isFreeText(name: string): boolean {
  return name === 'ledger_id' || name === 'schema' || name === 'version';
}
