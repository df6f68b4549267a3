import { randomBytes } from 'node:crypto';

/** Digits of the counter in base 36: 2.8 × 10^12 ids before it would grow. */
const COUNTER_DIGITS = 8;

/**
 * A source of request ids that rise as text: a nonce of 48 bits, then a counter of fixed width. Ids that rise
 * let the ledger's index over (run, id) append instead of splitting pages. They match `REQUEST_ID`.
 */
export function createRequestIds(random: (size: number) => Uint8Array = randomBytes): () => string {
  const nonce = Buffer.from(random(6)).toString('base64url');
  let counter = 0;
  return () => {
    counter += 1;
    return nonce + counter.toString(36).padStart(COUNTER_DIGITS, '0');
  };
}
