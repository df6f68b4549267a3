import { hkdfSync } from 'node:crypto';
import { canonicalize, SublError } from '@subluminal/core-types';

/** A shorter one could be met by chance: 16 characters of 62 are 95 bits. */
const MIN_BYTES = 16;
/** It has to fit into the head of a request, with others beside it. */
const MAX_BYTES = 4096;
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
/** The largest multiple of the alphabet in a byte: what is above it would make some letters likelier. */
const FAIR = 248;
/** What a field of HTTP holds and every program writes as it is. */
const IN_HEADER = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;

/** For which server a placeholder stands, and in place of which of its variables. */
export interface PlaceholderOf {
  readonly runId: string;
  /** Of the upstream. */
  readonly token: string;
  readonly injectAs: string;
}

/**
 * The text that a server gets in place of a secret: letters and digits, as many as the secret has bytes, so
 * that what is as long as it stays so. It is the same after a restart, another one for each server that
 * starts, and tells nothing of the secret.
 */
export function placeholderFor(
  key: Uint8Array,
  { runId, token, injectAs }: PlaceholderOf,
  bytes: number,
): string {
  const info = Buffer.from(canonicalize(['subl/v1/placeholder', runId, token, injectAs]));
  const drawn = Buffer.from(hkdfSync('sha256', key, new Uint8Array(0), info, bytes + (bytes >> 2) + 64));
  const fair = drawn.filter((byte) => byte < FAIR).subarray(0, bytes);
  if (fair.length < bytes) throw new Error('a placeholder was drawn too short');
  return Array.from(fair, (byte) => ALPHABET[byte % ALPHABET.length]).join('');
}

/** Throws `secret_refused` for a value that no placeholder can stand for, `injectAs` being its variable. */
export function assertReplaceable(value: string, injectAs: string): void {
  const bytes = Buffer.byteLength(value);
  const problem =
    bytes < MIN_BYTES
      ? `has fewer than ${MIN_BYTES} characters, so that a placeholder for it could be guessed`
      : bytes > MAX_BYTES
        ? `has more than ${MAX_BYTES} characters, which is too long for a header`
        : IN_HEADER.test(value)
          ? undefined
          : 'has characters that no header holds';
  if (problem === undefined) return;
  throw new SublError('secret_refused', `the secret for \`${injectAs}\` ${problem}`, {
    help: 'bind it without `inject = "egress"`',
  });
}
