import { type Credential, type JsonValue, parseJson, SublError } from '@subluminal/core-types';
import { readOwnText } from '../home/own-file.js';
import { credentialOf } from './shape.js';

/** Key files and tickets are a few hundred bytes. */
const MAX_BYTES = 16_384;

/**
 * Reads a key file: a regular file (not a link) of our user, closed to others. `key_missing` when it is not
 * there or holds no credential, `home_unsafe` when others could have read or written it. ARCHITECTURE.md,
 * "Keys, credentials, runs".
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

/**
 * The JSON of a private file, undefined when it is not there. `home_unsafe`, or `key_missing` when it is no
 * JSON.
 */
export function readPrivateJson(path: string): JsonValue | undefined {
  const text = readOwnText(path, { maxBytes: MAX_BYTES, forbidden: 0o077 });
  if (text === undefined) return undefined;
  try {
    return parseJson(text, { maxDepth: 8 });
  } catch (cause) {
    throw new SublError('key_missing', `\`${path}\` does not hold a key`, { cause });
  }
}
