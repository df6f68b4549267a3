import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { canonicalize } from '../json/canonicalize.js';
import { rawPublicKey } from '../note/raw-key.js';
import type { PolicyRef } from '../schema/decision.js';

/** How long a shim may decide from one snapshot, in milliseconds, whatever the gateway wrote into it. */
export const MAX_SNAPSHOT_MS = 300_000;

/** The longest body of a snapshot, in characters. A larger state or policy gives no snapshot. */
export const MAX_SNAPSHOT_CHARS = 1_048_576;

/** PKCS 8 around the 32 bytes of an Ed25519 seed (RFC 8410 §7). */
const PKCS8_SEED = Buffer.from('302e020100300506032b657004220420', 'hex');
const DOMAIN = 'subl/v1/snapshot\n';

/** The signed part of a snapshot: for whom it is, how long it holds, and the hash of everything else. */
export interface SnapshotHead {
  readonly v: 1;
  /** Random; names the spool that is kept under the snapshot as well. */
  readonly id: string;
  readonly run_id: string;
  readonly shim_id: string;
  readonly server_name: string;
  readonly issued_ms: number;
  readonly expires_ms: number;
  readonly policy: PolicyRef;
  /** SHA-256 of the body's text. */
  readonly body_hash: string;
}

/** The Ed25519 key of a 32-byte seed. */
export function snapshotSigningKey(seed: Uint8Array): KeyObject {
  return createPrivateKey({ key: Buffer.concat([PKCS8_SEED, seed]), format: 'der', type: 'pkcs8' });
}

/** The public half as 43 characters of base64url. */
export function snapshotPublicText(key: KeyObject): string {
  return rawPublicKey(createPublicKey(key)).toString('base64url');
}

/** The signature of a head, base64url. */
export function signHead(key: KeyObject, head: SnapshotHead): string {
  return sign(null, signedText(head), key).toString('base64url');
}

/**
 * Tells whether the holder of the private half signed exactly this head. Never throws for what was received.
 */
export function verifyHead(publicText: string, head: SnapshotHead, signature: string): boolean {
  try {
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: publicText }, format: 'jwk' });
    return verify(null, signedText(head), key, Buffer.from(signature, 'base64url'));
  } catch {
    // Anything that is no key, no signature or has no canonical form was not signed.
    return false;
  }
}

function signedText(head: SnapshotHead): Buffer {
  return Buffer.from(DOMAIN + canonicalize(head));
}
