import { isSublError } from '../errors/subl-error.js';
import { macEquals, requestMac, type MacKey } from './macs.js';

/** The signed part of an action request. */
export interface SignableRequest {
  readonly id: string;
  readonly timestamp: string;
  readonly action: string;
  readonly payload: unknown;
}

/**
 * The request with its signature added. `seq` is its place on the connection, from 1. Errors of `requestMac`.
 */
export function signRequest<R extends SignableRequest>(
  key: MacKey,
  seq: number,
  request: R,
): R & { signature: string } {
  return { ...request, signature: signatureOf(key, seq, request) };
}

/**
 * Tells whether the request was signed with this key, for this place, and not changed since. Never throws for
 * input.
 */
export function verifyRequest(
  key: MacKey,
  seq: number,
  request: SignableRequest & { readonly signature: unknown },
): boolean {
  try {
    return macEquals(request.signature, signatureOf(key, seq, request));
  } catch (error) {
    // A request that cannot be signed was not signed.
    if (isSublError(error, 'bad_signature', 'not_canonical', 'too_deep')) return false;
    throw error;
  }
}

function signatureOf(key: MacKey, seq: number, request: SignableRequest): string {
  const { id, timestamp, action, payload } = request;
  return requestMac(key, { seq, id, timestamp, action, payload });
}
