import { describe, expect, it } from 'vitest';
import { newSignerKey, readSignerKey } from './signer-key.js';
import { readNote } from './signed-note.js';
import { renderVerifierKey, signNote, verifyNote } from './verifier-key.js';

const seed = (size: number) => Buffer.alloc(size, 7);
const TEXT = newSignerKey('alice.example', seed);

describe('a key that signs notes', () => {
  it('is one word, with the public half beside it', () => {
    expect(TEXT).toBe('PRIVATE+KEY+alice.example+0ff5c1d1+AQcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcH');
    const key = readSignerKey(TEXT);
    expect(key === undefined ? '' : renderVerifierKey(key.verifier)).toBe(
      'alice.example+0ff5c1d1+AepKbGPinFIKvvVQexMuxfmVR3auvr57kkIe6mkURtIs',
    );
  });

  it('signs what its public half verifies', () => {
    const key = readSignerKey(TEXT);
    if (key === undefined) throw new Error('no key');
    const line = signNote('text\n', 'alice.example', key.privateKey, key.verifier.publicKey);
    const note = readNote(`text\n\n${line}`);
    expect(note === undefined ? '' : verifyNote(note, key.verifier)).toMatchObject({ timeS: null });
  });

  it('is another each time', () => {
    expect(newSignerKey('a')).not.toBe(newSignerKey('a'));
  });

  it.each([
    ['an empty text', ''],
    ['the public half', 'alice.example+0ff5c1d1+AepKbGPinFIKvvVQexMuxfmVR3auvr57kkIe6mkURtIs'],
    ['another name', TEXT.replace('alice', 'alicf')],
    ['another id', TEXT.replace('+0ff5c1d1+', '+0ff5c1d2+')],
    ['another kind of key', TEXT.replace('+AQc', '+Agc')],
    ['a shorter seed', TEXT.slice(0, -4)],
    ['a newline behind it', `${TEXT}\n`],
  ])('is not read from %s', (_, text) => {
    expect(readSignerKey(text)).toBeUndefined();
  });

  it.each(['', 'a b', 'a+b'])('has no name `%s`', (name) => {
    expect(() => newSignerKey(name, seed)).toThrow(RangeError);
  });

  it('is not made of less than 32 random bytes', () => {
    expect(() => newSignerKey('a', () => Buffer.alloc(31))).toThrow(RangeError);
  });
});
