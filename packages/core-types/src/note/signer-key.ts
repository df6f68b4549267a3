import { createPrivateKey, createPublicKey, randomBytes, type KeyObject } from 'node:crypto';
import { readBase64 } from './base64.js';
import { isKeyName } from './signed-note.js';
import { verifierKey, type VerifierKey } from './verifier-key.js';

/** A private key that signs notes, with what its signatures are verified by. */
export interface SignerKey {
  readonly privateKey: KeyObject;
  readonly verifier: VerifierKey;
}

const PREFIX = 'PRIVATE+KEY+';
const SEED_BYTES = 32;
const ED25519 = 1;
/** The bytes before the seed in the PKCS #8 form of an Ed25519 key (RFC 8410). */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');

/**
 * A new Ed25519 key as one word, `PRIVATE+KEY+<name>+<key id>+<base64 of type and seed>`: the form in which
 * the note tools of Go keep theirs. `random` gives that many random bytes. A name that no key can have is a
 * RangeError.
 */
export function newSignerKey(name: string, random: (size: number) => Uint8Array = randomBytes): string {
  if (!isKeyName(name)) throw new RangeError('the name of a key has no space and no plus');
  const seed = random(SEED_BYTES);
  if (seed.length !== SEED_BYTES) throw new RangeError(`random must give ${SEED_BYTES} bytes`);
  const { keyId } = signerKey(name, seed).verifier;
  const material = Buffer.concat([Uint8Array.of(ED25519), seed]).toString('base64');
  return `${PREFIX}${name}+${keyId}+${material}`;
}

/** Reads what `newSignerKey` writes; undefined for any other text, and where the key id is not the key's. */
export function readSignerKey(text: string): SignerKey | undefined {
  if (!text.startsWith(PREFIX)) return undefined;
  const [name = '', keyId = '', ...rest] = text.slice(PREFIX.length).split('+');
  const material = readBase64(rest.join('+'), 1 + SEED_BYTES);
  if (material?.[0] !== ED25519 || !isKeyName(name)) return undefined;
  const key = signerKey(name, material.subarray(1));
  return key.verifier.keyId === keyId ? key : undefined;
}

function signerKey(name: string, seed: Uint8Array): SignerKey {
  const privateKey = createPrivateKey({ key: Buffer.concat([PKCS8, seed]), format: 'der', type: 'pkcs8' });
  return { privateKey, verifier: verifierKey(name, 'log', createPublicKey(privateKey)) };
}
