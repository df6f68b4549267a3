import { createPublicKey } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { keyFromSeed, SIGNING_KEY } from '../../testing/scratch.js';
import { openLogNote } from './open-log-note.js';
import {
  cosignNote,
  readNote,
  readVerifierKey,
  renderVerifierKey,
  signNote,
  verifierKey,
  verifyNote,
  readCheckpointText,
  renderCheckpointText,
} from '@subluminal/core-types';

const ROOT = 'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77';
const PUBLIC = createPublicKey(SIGNING_KEY);
const LOG = verifierKey('subluminal/L1', 'log', PUBLIC);
const TEXT = renderCheckpointText({ origin: 'subluminal/L1', size: 3, root: ROOT });
const NOTE = `${TEXT}\n${signNote(TEXT, 'subluminal/L1', SIGNING_KEY, PUBLIC)}`;
const WITNESS = verifierKey('witness.example/w1', 'cosignature', createPublicKey(keyFromSeed(5)));

describe('a verifier key', () => {
  it('is the published one of the Go checksum database, read and written', () => {
    const text = 'sum.golang.org+033de0ae+Ac4zctda0e5eza+HJyk9SxEdh+s3Ux18htTTAD8OuAn8';
    const key = readVerifierKey(text);
    expect(key).toMatchObject({ name: 'sum.golang.org', role: 'log', keyId: '033de0ae' });
    expect(key === undefined ? '' : renderVerifierKey(key)).toBe(text);
  });

  it('stands for a ledger’s log key literally', () => {
    expect(renderVerifierKey(LOG)).toBe(
      'subluminal/L1+bf5212d1+AepKbGPinFIKvvVQexMuxfmVR3auvr57kkIe6mkURtIs',
    );
  });

  it.each([
    '',
    'name',
    'name+00000000+',
    'sum.golang.org+033de0af+Ac4zctda0e5eza+HJyk9SxEdh+s3Ux18htTTAD8OuAn8',
    'sum.golang.orG+033de0ae+Ac4zctda0e5eza+HJyk9SxEdh+s3Ux18htTTAD8OuAn8',
    'sum.golang.org+033de0ae+As4zctda0e5eza+HJyk9SxEdh+s3Ux18htTTAD8OuAn8',
    'sum.golang.org+033de0ae+Ac4zctda0e5eza+HJyk9SxEdh+s3Ux18htTTAD8OuAn9',
    'sum golang.org+033de0ae+Ac4zctda0e5eza+HJyk9SxEdh+s3Ux18htTTAD8OuAn8',
    '+033de0ae+Ac4zctda0e5eza+HJyk9SxEdh+s3Ux18htTTAD8OuAn8',
  ])('`%s` is none', (text) => {
    expect(readVerifierKey(text)).toBeUndefined();
  });
});

describe('a log’s note', () => {
  it('opens whatever other keys have signed it as well', () => {
    const seal = signNote(
      NOTE.slice(0, NOTE.indexOf('\n\n') + 1),
      'subluminal/L1/seal',
      keyFromSeed(8),
      createPublicKey(keyFromSeed(8)),
    );
    const cosigned = cosignNote(
      NOTE.slice(0, NOTE.indexOf('\n\n') + 1),
      1_760_000_000,
      WITNESS,
      keyFromSeed(5),
    );
    expect(openLogNote(NOTE + seal + cosigned, LOG)).toEqual({
      origin: 'subluminal/L1',
      size: 3,
      root: ROOT,
    });
    expect(openLogNote(NOTE.slice(0, NOTE.indexOf('\n\n') + 2) + seal, LOG)).toBe(
      'the log has not signed it',
    );
  });

  it('does not open with a byte changed anywhere', () => {
    const opened = [...NOTE.split('').keys()].filter(
      (at) =>
        typeof openLogNote(
          NOTE.slice(0, at) + String.fromCharCode(NOTE.charCodeAt(at) ^ 1) + NOTE.slice(at + 1),
          LOG,
        ) !== 'string',
    );
    expect(opened).toEqual([]);
  });

  it('is not read where it is no note', () => {
    for (const note of [
      '',
      '\n\n',
      'text\n',
      'text\n\n',
      'text\n\n— name\n',
      'text\n\n— name AAAAAA==',
      'text\n\n- name AAAAAAA=\n',
      'text\n\n— na+me AAAAAAA=\n',
      'text\n\n—  AAAAAAA=\n',
      'text\n\n— name AAAAAA==\n',
      'text\n\n— name AAAAAAB=\n',
      'text\n\n— name AAAAAAA= \n',
      'te\txt\n\n— name AAAAAAA=\n',
      'te\ud800xt\n\n— name AAAAAAA=\n',
      `text\n\n${'— name AAAAAAA=\n'.repeat(65)}`,
      `${'x'.repeat(1 << 20)}\n\n— name AAAAAAA=\n`,
    ]) {
      expect(readNote(note)).toBeUndefined();
    }
    expect(readNote('te\n\nxt\n\n— name AAAAAAA=\n')?.text).toBe('te\n\nxt\n');
    expect(readNote(`text\n\n${'— name AAAAAAA=\n'.repeat(16)}`)?.signatures).toHaveLength(16);
  });
});

describe('a cosignature', () => {
  const text = NOTE.slice(0, NOTE.indexOf('\n\n') + 1);

  it('is a timestamped signature over header, time and text', () => {
    const line = cosignNote(text, 1_679_315_147, WITNESS, keyFromSeed(5));
    const read = readNote(`${text}\n${line}`);
    expect(Buffer.from(read?.signatures[0]?.signature ?? []).readBigUInt64BE()).toBe(1_679_315_147n);
    expect(read === undefined ? '' : verifyNote(read, WITNESS)).toEqual({ line, timeS: 1_679_315_147 });
  });

  it('does not verify for another time, text or kind of key', () => {
    const line = cosignNote(text, 1_679_315_147, WITNESS, keyFromSeed(5));
    const asLog = verifierKey(WITNESS.name, 'log', WITNESS.publicKey);
    const [other, same] = [readNote(`${text}x\n\n${line}`), readNote(`${text}\n${line}`)];
    expect(other === undefined ? '' : verifyNote(other, WITNESS)).toBe('wrong');
    expect(same === undefined ? '' : verifyNote(same, asLog)).toBe('absent');
    const plain = signNote(text, WITNESS.name, keyFromSeed(5), WITNESS.publicKey);
    const blob = Buffer.from(plain.split(' ')[2] ?? '', 'base64');
    Buffer.from(WITNESS.keyId, 'hex').copy(blob);
    const disguised = readNote(`${text}\n— ${WITNESS.name} ${blob.toString('base64')}\n`);
    expect(disguised === undefined ? '' : verifyNote(disguised, WITNESS)).toBe('wrong');
  });
});

describe('the text of a checkpoint', () => {
  it('is read with extension lines, and no other way of writing it', () => {
    const checkpoint = { origin: 'example.com/log', size: 3, root: ROOT };
    const text = renderCheckpointText(checkpoint);
    expect(readCheckpointText(text)).toEqual(checkpoint);
    expect(readCheckpointText(`${text}extension\n`)).toEqual(checkpoint);
    for (const wrong of ['03', '-3', '3.0', '0x3', '9007199254740992', '99999999999999999', '', '٣']) {
      expect(readCheckpointText(text.replace('\n3\n', `\n${wrong}\n`))).toBeUndefined();
    }
    expect(readCheckpointText(text.slice(0, -1))).toBeUndefined();
    expect(readCheckpointText(text.slice(1 + 'example.com/log'.length))).toBeUndefined();
    expect(readCheckpointText(`${text}\n`)).toBeUndefined();
    expect(readCheckpointText(text.replace('=', ''))).toBeUndefined();
  });
});
