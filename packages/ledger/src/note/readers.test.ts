import { createHash, createPublicKey, sign } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { keyFromSeed, SIGNING_KEY } from '../../testing/scratch.js';
import {
  cosignNote,
  isKeyName,
  MAX_NOTE,
  rawPublicKey,
  readBase64,
  readNote,
  readSignatureLine,
  readVerifierKey,
  renderVerifierKey,
  signatureLine,
  signNote,
  verifierKey,
  verifyNote,
  readCheckpointText,
  renderCheckpointText,
} from '@subluminal/core-types';
import { openLogNote } from './open-log-note.js';
import { splitNotes } from './split-notes.js';

const LINE = '— name AAAAAAA=\n';
const PUBLIC = createPublicKey(SIGNING_KEY);
const ROOT = 'ab'.repeat(32);

describe('base64 of 32 bytes', () => {
  const text = Buffer.alloc(32, 1).toString('base64');

  it('is read', () => {
    expect(readBase64(text, 32)).toEqual(Buffer.alloc(32, 1));
  });

  it.each([
    ['of 31 bytes', Buffer.alloc(31, 1).toString('base64')],
    ['of 33 bytes', Buffer.alloc(33, 1).toString('base64')],
    ['without its padding', text.slice(0, -1)],
    ['with bits behind the last byte', text.replace('E=', 'F=')],
    ['with a space', ` ${text}`],
    ['in the URL alphabet', Buffer.alloc(32, 255).toString('base64').replaceAll('/', '_')],
  ])('is not read where it is %s', (_, other) => {
    expect(readBase64(other, 32)).toBeUndefined();
  });
});

describe('the text of a checkpoint with one thing wrong', () => {
  const root = Buffer.from(ROOT, 'hex').toString('base64');

  it.each([
    ['no origin', `\n3\n${root}\n`],
    ['no size', `log\n\n${root}\n`],
    ['no root', 'log\n3\n\n'],
    ['a root of 31 bytes', `log\n3\n${Buffer.alloc(31).toString('base64')}\n`],
    ['a last line that does not end', `log\n3\n${root}\nextension`],
    ['an empty extension line', `log\n3\n${root}\n\nextension\n`],
  ])('is not read: %s', (_, text) => {
    expect(readCheckpointText(text)).toBeUndefined();
  });
});

describe('a note', () => {
  it.each([
    ['a text of one character', `x\n\n${LINE}`],
    ['64 signatures', `x\n\n${LINE.repeat(64)}`],
    ['the longest text', `${'x'.repeat(MAX_NOTE - 2 - LINE.length)}\n\n${LINE}`],
  ])('is read with %s', (_, note) => {
    expect(readNote(note)).toBeDefined();
  });

  it.each([
    ['no text', `\n\n${LINE}`],
    ['no empty line', `x${LINE}`],
    ['only the newline of an empty line', `\n${LINE}`],
    ['a last line that ends in something else', `x\n\n${LINE.slice(0, -1)}x`],
    ['65 signatures', `x\n\n${LINE.repeat(65)}`],
    ['one character too many', `${'x'.repeat(MAX_NOTE - 1 - LINE.length)}\n\n${LINE}`],
  ])('is not read with %s', (_, note) => {
    expect(readNote(note)).toBeUndefined();
  });

  it.each(['—', '— name', '- name AAAAAAA=', '— name AAAAAAA= x', '— name AAAAAA==', '— a+b AAAAAAA='])(
    'has no signature line `%s`',
    (line) => {
      expect(readSignatureLine(line)).toBeUndefined();
    },
  );

  it.each([
    ['one of 1024 characters', 'x'.repeat(1024), true],
    ['one of 1025 characters', 'x'.repeat(1025), false],
    ['an empty one', '', false],
    ['one with a space', 'a b', false],
    ['one with a plus', 'a+b', false],
  ])('knows the name of a key: %s', (_, name, is) => {
    expect(isKeyName(name)).toBe(is);
  });
});

describe('notes that stand one behind the other', () => {
  const [one, two] = [`one\n\n${LINE}`, `two\n\n${LINE}${LINE}`];

  it.each([
    ['nothing', '', [], ''],
    ['one note', one, [one], ''],
    ['two notes', one + two, [one, two], ''],
    ['a note and a text without signature', `${one}two\n\n`, [one], 'two\n\n'],
    ['a note and part of a line', `${one}tw`, [one], 'tw'],
    ['a note and part of its next signature', `${one}— na`, [one], '— na'],
    ['a text that looks signed, without the empty line', `one\n${LINE}`, [], `one\n${LINE}`],
    ['a text with an empty line and nothing signed', 'one\n\nmore\n', [], 'one\n\nmore\n'],
    ['a note whose text begins like a signature', `${LINE}\n${LINE}`, [`${LINE}\n${LINE}`], ''],
  ])('are taken apart: %s', (_, text, notes, rest) => {
    expect(splitNotes(text)).toEqual({ notes, rest });
  });
});

describe('a verifier key as text', () => {
  const written = (name: string, type: number, hashed = type): string => {
    const raw = rawPublicKey(PUBLIC);
    const id = createHash('sha256').update(`${name}\n`).update(Uint8Array.of(hashed)).update(raw);
    const material = Buffer.concat([Uint8Array.of(type), raw]).toString('base64');
    return `${name}+${id.digest('hex').slice(0, 8)}+${material}`;
  };

  it.each(['log', 'cosignature'] as const)('keeps its role: %s', (role) => {
    const text = renderVerifierKey(verifierKey('name', role, PUBLIC));
    expect(text).toBe(written('name', role === 'log' ? 1 : 4));
    expect(readVerifierKey(text)).toMatchObject({ name: 'name', role });
  });

  it.each([
    ['a name with a space', written('a b', 1)],
    ['no name', written('', 1)],
    ['a type that is not known', written('name', 2)],
    ['type 0', written('name', 0)],
    ['a type that is not known and the key id of none', written('name', 2, 0)],
    ['a type that is not known and the key id of a log', written('name', 2, 1)],
    ['a type that is not known and the key id of a witness', written('name', 2, 4)],
    ['the key id of another type', written('name', 1, 4)],
  ])('is refused with %s', (_, text) => {
    expect(readVerifierKey(text)).toBeUndefined();
  });
});

describe('a signature of a known key', () => {
  const text = renderCheckpointText({ origin: 'log', size: 3, root: ROOT });
  const log = verifierKey('log', 'log', PUBLIC);
  const witness = verifierKey('witness', 'cosignature', createPublicKey(keyFromSeed(5)));
  const verified = (line: string, key = witness) => {
    const note = readNote(`${text}\n${line}`);
    return note === undefined ? 'no note' : verifyNote(note, key);
  };
  const stamped = (time: bigint, said = `${time}`): string => {
    const stamp = Buffer.alloc(8);
    stamp.writeBigUInt64BE(time);
    const signature = sign(null, Buffer.from(`cosignature/v1\ntime ${said}\n${text}`), keyFromSeed(5));
    return signatureLine('witness', witness.keyId, Buffer.concat([stamp, signature]));
  };

  it('has no time where it is a log’s', () => {
    const line = signNote(text, 'log', SIGNING_KEY, PUBLIC);
    expect(verified(line, log)).toEqual({ line, timeS: null });
  });

  it('has the largest time that is counted safely', () => {
    const line = cosignNote(text, Number.MAX_SAFE_INTEGER, witness, keyFromSeed(5));
    expect(verified(line)).toEqual({ line, timeS: Number.MAX_SAFE_INTEGER });
  });

  it.each([
    ['names a time beyond', stamped(2n ** 53n)],
    ['names a time beyond and signs none', stamped(2n ** 53n, 'null')],
    ['is too short for a time', signatureLine('witness', witness.keyId, Buffer.alloc(7))],
    ['is a byte too short', signatureLine('witness', witness.keyId, Buffer.alloc(71))],
    ['is a byte too long', signatureLine('witness', witness.keyId, Buffer.alloc(73))],
  ])('is wrong where it %s', (_, line) => {
    expect(verified(line)).toBe('wrong');
  });

  it('opens no note that speaks of another log', () => {
    const other = renderCheckpointText({ origin: 'other', size: 3, root: ROOT });
    const note = `${other}\n${signNote(other, 'log', SIGNING_KEY, PUBLIC)}`;
    expect(openLogNote(note, log)).toBe('it speaks of `other`, not of this log');
  });
});
