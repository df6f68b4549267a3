import { createPublicKey, type KeyObject } from 'node:crypto';

/** The 32 bytes of an Ed25519 public key. */
export function rawPublicKey(publicKey: KeyObject): Buffer {
  return Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url');
}

/** An Ed25519 public key from its 32 bytes. */
export function publicKeyFromRaw(raw: Uint8Array): KeyObject {
  const x = Buffer.from(raw).toString('base64url');
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
}
