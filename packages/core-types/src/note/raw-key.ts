import { createPublicKey, type KeyObject } from 'node:crypto';

const RAW_BYTES = 32;

/**
 * The 32 bytes of an Ed25519 public key: the end of its SubjectPublicKeyInfo (RFC 8410 §4). Not by way of a
 * JWK: Node 20 makes its texts while it holds the key's lock, and a garbage collection at that moment that
 * finds what generated the key waits for the same lock, for ever.
 */
export function rawPublicKey(publicKey: KeyObject): Buffer {
  return publicKey.export({ format: 'der', type: 'spki' }).subarray(-RAW_BYTES);
}

/** An Ed25519 public key from its 32 bytes. */
export function publicKeyFromRaw(raw: Uint8Array): KeyObject {
  const x = Buffer.from(raw).toString('base64url');
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
}
