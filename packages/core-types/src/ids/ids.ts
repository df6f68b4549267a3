import { randomBytes } from 'node:crypto';
import { nanoid } from 'nanoid';

/** The form of a request id (narrow, so that it is safe in signed texts and file names). */
export const REQUEST_ID = /^[A-Za-z0-9_-]{8,64}$/;

/**
 * Requests of the protocol that are no tool calls are decided and recorded under this and their method. A
 * tool of such a name could pass for one.
 */
export const PROTOCOL_PREFIX = 'mcp:';

/** Crockford's base 32: no I, L, O, U; its ASCII order is its numeric order. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const TIME_CHARACTERS = 10;
const RANDOM_BYTES = 10;
const MAX_TIME = 2 ** 48 - 1;

/** A new random id of 21 characters (126 bits), for requests and calls. Matches `REQUEST_ID`. */
export function newId(): string {
  return nanoid();
}

/**
 * A new run id: 26 characters, a ULID (48 bits of `nowMs`, epoch milliseconds, then 80 random bits), so that
 * ids sort by time. `random` gives that many random bytes. A time outside 0 to 2^48-1 is a RangeError.
 */
export function newRunId(nowMs: number, random: (size: number) => Uint8Array = randomBytes): string {
  if (!Number.isInteger(nowMs) || nowMs < 0 || nowMs > MAX_TIME) {
    throw new RangeError('nowMs must be whole milliseconds since 1970');
  }
  const bytes = random(RANDOM_BYTES);
  if (bytes.length !== RANDOM_BYTES) throw new RangeError(`random must give ${RANDOM_BYTES} bytes`);
  let bits = BigInt(nowMs);
  for (const byte of bytes) bits = (bits << 8n) | BigInt(byte);
  let id = '';
  for (let index = 0; index < TIME_CHARACTERS + 16; index += 1) {
    id = ALPHABET.charAt(Number(bits & 31n)) + id;
    bits >>= 5n;
  }
  return id;
}
