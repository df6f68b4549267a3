import { createCipheriv, createDecipheriv, hkdfSync } from 'node:crypto';
import { SublError } from '@subluminal/core-types';
import type { RandomBytes } from './clock.js';

/** AES-256-GCM under a key of its own for each text, so that no nonce is ever used twice under one key. */
const FORMAT = 1;
const SALT_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEAD_BYTES = 1 + SALT_BYTES + NONCE_BYTES + TAG_BYTES;

/** Encrypts a text for one place: opened at another (another row, another name) it does not open. */
export function seal(key: Uint8Array, place: string, text: string, random: RandomBytes): Buffer {
  const [salt, nonce] = [random(SALT_BYTES), random(NONCE_BYTES)];
  const cipher = createCipheriv('aes-256-gcm', keyOf(key, salt), nonce);
  cipher.setAAD(Buffer.from(place));
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([Buffer.of(FORMAT), salt, nonce, cipher.getAuthTag(), body]);
}

/**
 * The text of a sealed one.
 *
 * @throws SublError `secret_missing` for what was not sealed with this key for this place, or was changed
 *   since.
 */
export function unseal(key: Uint8Array, place: string, sealed: Uint8Array): string {
  const bytes = Buffer.from(sealed);
  if (bytes.length < HEAD_BYTES || bytes[0] !== FORMAT) throw cannotOpen(place);
  const parts = bytes.subarray(1);
  const salt = parts.subarray(0, SALT_BYTES);
  const nonce = parts.subarray(SALT_BYTES, SALT_BYTES + NONCE_BYTES);
  const decipher = createDecipheriv('aes-256-gcm', keyOf(key, salt), nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(place));
  decipher.setAuthTag(parts.subarray(SALT_BYTES + NONCE_BYTES, HEAD_BYTES - 1));
  try {
    return Buffer.concat([decipher.update(parts.subarray(HEAD_BYTES - 1)), decipher.final()]).toString(
      'utf8',
    );
  } catch (cause) {
    throw cannotOpen(place, cause);
  }
}

function keyOf(key: Uint8Array, salt: Uint8Array): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', key, salt, 'subl/v1/sealed', 32));
}

function cannotOpen(place: string, cause?: unknown): SublError {
  return new SublError('secret_missing', `the secret \`${place}\` cannot be opened`, {
    cause,
    help: 'it was not sealed in this home, or was changed: take it out and add it again',
  });
}
