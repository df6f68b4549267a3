import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { type Credential, type JsonValue, parseJson, SublError } from '@subluminal/core-types';
import { assertOurs, hasCode, isMissing, unsafe } from '../home/check.js';
import { credentialOf } from './shape.js';

/** Key files and tickets are a few hundred bytes. */
const MAX_BYTES = 16_384;

/**
 * Reads a key file: a regular file (not a link) of our user, closed to others. `key_missing` when it is not there or
 * holds no credential, `home_unsafe` when others could have read or written it. Design §1.
 */
export function readCredential(path: string): Credential {
  const value = readPrivateJson(path);
  if (value === undefined) {
    throw new SublError('key_missing', `there is no key at \`${path}\``, {
      help: 'run `sub up` first: the gateway writes its keys when it starts',
    });
  }
  const credential = credentialOf(value);
  if (credential === undefined) throw new SublError('key_missing', `\`${path}\` does not hold a key`);
  return credential;
}

/** The JSON of a private file, undefined when it is not there. `home_unsafe`, or `key_missing` when it is no JSON. */
export function readPrivateJson(path: string): JsonValue | undefined {
  const text = readPrivateText(path);
  if (text === undefined) return undefined;
  try {
    return parseJson(text, { maxDepth: 8 });
  } catch (cause) {
    throw new SublError('key_missing', `\`${path}\` does not hold a key`, { cause });
  }
}

function readPrivateText(path: string): string | undefined {
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    if (isMissing(error)) return undefined;
    if (hasCode(error, 'ELOOP')) throw unsafe(path, 'is a link', error);
    throw unsafe(path, 'cannot be read', error);
  }
  try {
    const stats = fstatSync(file);
    if (!stats.isFile()) throw unsafe(path, 'is not a regular file');
    assertOurs(path, stats, 0o077);
    if (stats.size > MAX_BYTES) throw unsafe(path, `is larger than ${MAX_BYTES} bytes`);
    const bytes = Buffer.alloc(MAX_BYTES);
    return bytes.toString('utf8', 0, readSync(file, bytes, 0, MAX_BYTES, 0));
  } finally {
    closeSync(file);
  }
}
