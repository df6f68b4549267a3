import type { KeyObject } from 'node:crypto';
import { SublError } from '../errors/subl-error.js';
import { sha256Hex } from '../hash/node.js';
import { canonicalize } from '../json/canonicalize.js';
import { hmac, SessionKey } from './session-key.js';

/** A key of `SessionKeys`, or any other, which is made ready again at every call. */
export type MacKey = SessionKey | KeyObject | Uint8Array;

/**
 * The fields that a request's MAC covers: the payload, or its canonical text where the caller has it already,
 * or the SHA-256 of that in lowercase hex.
 */
export type RequestMacFields = {
  /** The request's place in its direction, from 1; counted by both sides and not sent. */
  readonly seq: number;
  readonly id: string;
  readonly timestamp: string;
  readonly action: string;
} & (
  | { readonly payload: unknown }
  | { readonly payloadCanonical: string }
  | { readonly payloadHash: string }
);

/**
 * The fields that a response's MAC covers. `bodyCanonical` is the canonical text of `{data, error}` without
 * absent keys.
 */
export type ResponseMacFields = {
  readonly seq: number;
  readonly requestId: string;
  /** The signature text of the request that is answered: an answer cannot be moved to another request. */
  readonly requestMac: string;
  readonly timestamp: string;
  readonly status: string;
  readonly auditRef: string;
} & ({ readonly data?: unknown; readonly error?: unknown } | { readonly bodyCanonical: string });

/** The fields that the MAC of a push covers: its body without the signature. */
export type PushMacFields = { readonly seq: number } & (
  | { readonly body: unknown }
  | { readonly bodyCanonical: string }
);

/** 32 bytes as base64url. */
const MAC_CHARACTERS = 43;

/**
 * The signature of a request, base64url. Throws `bad_signature` when a field cannot be signed without
 * ambiguity, `not_canonical` or `too_deep` when the payload has no canonical form.
 */
export function requestMac(key: MacKey, fields: RequestMacFields): string {
  const { seq, id, timestamp, action } = fields;
  return mac(key, ['req', place(seq), id, timestamp, action, payloadHashOf(fields)]);
}

function payloadHashOf(fields: RequestMacFields): string {
  if ('payloadHash' in fields) return fields.payloadHash;
  return sha256Hex('payloadCanonical' in fields ? fields.payloadCanonical : canonicalize(fields.payload));
}

/**
 * The signature of an answer, base64url. An absent (or undefined) `data` or `error` is an absent key. Errors
 * as above.
 */
export function responseMac(key: MacKey, fields: ResponseMacFields): string {
  const { seq, requestId, requestMac: asked, timestamp, status, auditRef } = fields;
  const body = 'bodyCanonical' in fields ? fields.bodyCanonical : responseBody(fields.data, fields.error);
  return mac(key, ['res', place(seq), requestId, asked, timestamp, status, auditRef, sha256Hex(body)]);
}

/** The signature of a push, base64url. Errors as above. */
export function pushMac(key: MacKey, fields: PushMacFields): string {
  const body = 'bodyCanonical' in fields ? fields.bodyCanonical : canonicalize(fields.body);
  return mac(key, ['evt', place(fields.seq), sha256Hex(body)]);
}

/**
 * Compares a signature or proof that was received with the right one, in a time that does not depend on where
 * they differ. False for anything but exactly the characters of the right one, so a second spelling of the
 * same bytes does not pass.
 */
export function macEquals(received: unknown, expected: string): boolean {
  if (typeof received !== 'string' || received.length !== MAC_CHARACTERS) return false;
  if (expected.length !== MAC_CHARACTERS) return false;
  let difference = 0;
  for (let at = 0; at < MAC_CHARACTERS; at += 1) {
    difference |= received.charCodeAt(at) ^ expected.charCodeAt(at);
  }
  return difference === 0;
}

function responseBody(data: unknown, error: unknown): string {
  return canonicalize({
    ...(data === undefined ? {} : { data }),
    ...(error === undefined ? {} : { error }),
  });
}

function place(seq: number): string {
  if (!Number.isSafeInteger(seq) || seq < 1) {
    throw new SublError('bad_signature', 'the place of a message must be a whole number from 1');
  }
  return String(seq);
}

/** With a `|` inside a field, two different messages could give the same signed text. */
function mac(key: MacKey, fields: readonly string[]): string {
  if (fields.some((field) => field.includes('|'))) {
    throw new SublError('bad_signature', 'a field with `|` cannot be signed');
  }
  const text = fields.join('|');
  return key instanceof SessionKey ? key.mac(text) : hmac(key, text);
}
