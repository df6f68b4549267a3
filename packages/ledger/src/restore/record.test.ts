import { canonicalize } from '@subluminal/core-types';
import { createPublicKey, sign } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { keyFromSeed, SIGNING_KEY } from '../../testing/scratch.js';
import { isReason, MAX_REASON, openRestored, signRestored } from './record.js';

const LOG = createPublicKey(SIGNING_KEY);
const GOOD = {
  size: 3,
  root: Buffer.alloc(32, 1).toString('base64'),
  known_size: 5,
  known_root: Buffer.alloc(32, 2).toString('base64'),
  seal_key: Buffer.alloc(32, 3).toString('base64'),
  reason: 'the disk broke',
};

/** Data that the log key did sign, whatever it says. */
function signed(change: Readonly<Record<string, unknown>> = {}, key = SIGNING_KEY): string {
  const { size, root, known_size, known_root, seal_key, reason, ...more }: Record<string, unknown> = {
    ...GOOD,
    ...change,
  };
  const members = { size, root, known_size, known_root, seal_key, reason };
  const text = `subl/restored/v1\nL1\n${Object.values(members).join('\n')}\n`;
  const sig = sign(null, Buffer.from(text), key).toString('base64');
  const present = Object.entries({ ...members, sig, ...more }).filter(([, value]) => value !== undefined);
  return canonicalize(Object.fromEntries(present));
}

/** The last character of a base64 text with one of the bits set that mean nothing there. */
function respelled(last: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
  return alphabet[alphabet.indexOf(last) | 1] ?? '';
}

describe('the record of a restore', () => {
  it('is read back', () => {
    const { size, root, known_size: knownSize, known_root: knownRoot, seal_key: sealKey, reason } = GOOD;
    const restored = { size, root, knownSize, knownRoot, sealKey, reason };
    expect(signRestored('L1', restored, SIGNING_KEY)).toBe(signed());
    expect(openRestored('L1', signed(), LOG)).toEqual(restored);
  });

  it.each([
    ['one entry', { size: 1 }],
    ['nothing given up', { known_size: 3 }],
    ['a root that nobody knew', { known_root: '' }],
    ['the longest reason', { reason: 'x'.repeat(MAX_REASON) }],
  ])('is read with %s', (_, change) => {
    expect(openRestored('L1', signed(change), LOG)).toBeDefined();
  });

  it.each(
    Object.keys(GOOD).flatMap((name) => [null, undefined, true, [], {}].map((value) => ({ name, value }))),
  )('is refused where `$name` is $value', ({ name, value }) => {
    expect(openRestored('L1', signed({ [name]: value }), LOG)).toBeUndefined();
  });

  it.each([
    ['a size as text', { size: '3' }],
    ['a known size as text', { known_size: '5' }],
    ['a reason as number', { reason: 5 }],
    ['a root as number', { root: 5 }],
    ['a known root as number', { known_root: 5 }],
    ['a known root as a list of one', { known_root: [GOOD.known_root] }],
    ['a root as a list of one', { root: [GOOD.root] }],
    ['a seal key as a list of one', { seal_key: [GOOD.seal_key] }],
    ['a reason as a list of one', { reason: [GOOD.reason] }],
    ['a signature as number', { sig: 5 }],
    ['no signature', { sig: undefined }],
    ['an empty signature', { sig: '' }],
    ['no entry', { size: 0 }],
    ['fewer than no entries', { size: -1 }],
    ['fewer known entries than it keeps', { known_size: 2 }],
    ['a root of 31 bytes', { root: Buffer.alloc(31).toString('base64') }],
    ['a known root of 31 bytes', { known_root: Buffer.alloc(31).toString('base64') }],
    ['a seal key of 31 bytes', { seal_key: Buffer.alloc(31).toString('base64') }],
    ['an empty root', { root: '' }],
    ['an empty seal key', { seal_key: '' }],
    ['a reason that is too long', { reason: 'x'.repeat(MAX_REASON + 1) }],
    ['a reason of two lines', { reason: 'a\nb' }],
    ['a member too many', { more: 1 }],
  ])('is refused with %s, though the log key signed it', (_, change) => {
    expect(openRestored('L1', signed(change), LOG)).toBeUndefined();
  });

  it.each([
    ['no JSON', '{'],
    ['null', 'null'],
    ['a number', '3'],
    ['a list', '[]'],
    ['not canonical', ` ${signed()}`],
    ['signed by another key', signed({}, keyFromSeed(8))],
  ])('is refused where it is %s', (_, data) => {
    expect(openRestored('L1', data, LOG)).toBeUndefined();
  });

  it.each(['root', 'known_root', 'seal_key'] as const)(
    'is refused with another spelling of `%s`, though the log key signed it',
    (name) => {
      const other = GOOD[name].replace(/(.)=$/, (_, last: string) => `${respelled(last)}=`);
      expect(Buffer.from(other, 'base64')).toEqual(Buffer.from(GOOD[name], 'base64'));
      expect(openRestored('L1', signed({ [name]: other }), LOG)).toBeUndefined();
    },
  );

  it.each([
    [
      'bits behind its last byte',
      (sig: string) => sig.replace(/(.)==$/, (_, last) => `${respelled(last)}==`),
    ],
    ['no padding', (sig: string) => sig.replace('==', '')],
    ['a space', (sig: string) => `${sig.slice(0, 9)} ${sig.slice(9)}`],
    ['something behind it', (sig: string) => `${sig}AAAA`],
  ])('is refused with another spelling of its signature: %s', (_, respell) => {
    const data = signed();
    const [, sig = ''] = /"sig":"([^"]+)"/.exec(data) ?? [];
    const other = respell(sig);
    expect(Buffer.from(other, 'base64').subarray(0, 64)).toEqual(Buffer.from(sig, 'base64'));
    expect(openRestored('L1', data.replace(sig, other), LOG)).toBeUndefined();
  });

  it('is refused for another ledger', () => {
    expect(openRestored('L2', signed(), LOG)).toBeUndefined();
  });
});

describe('a reason', () => {
  it.each([
    ['of the longest kind', 'x'.repeat(MAX_REASON), true],
    ['that is too long', 'x'.repeat(MAX_REASON + 1), false],
    ['with a control character', 'a\u001b[2J', false],
    ['with a character that turns the direction of text', 'a\u202eb', false],
  ])('%s is taken or not', (_, text, is) => {
    expect(isReason(text)).toBe(is);
  });
});
