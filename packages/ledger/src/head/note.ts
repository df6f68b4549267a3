import { createHash, createPublicKey, sign, verify, type KeyObject } from 'node:crypto';

/** What a checkpoint says: so many entries have this Merkle root. `root` is lowercase hex. */
export interface Checkpoint {
  readonly size: number;
  readonly root: string;
}

/** Origin and key name of a ledger's checkpoints. */
function checkpointOrigin(ledgerId: string): string {
  return `subluminal/${ledgerId}`;
}

/**
 * Renders a checkpoint (C2SP tlog-checkpoint) as a signed note (C2SP signed-note, Ed25519): any existing witness or
 * verifier reads it.
 */
export function signCheckpoint(ledgerId: string, checkpoint: Checkpoint, privateKey: KeyObject): string {
  const text = checkpointText(ledgerId, checkpoint);
  const signature = sign(null, Buffer.from(text), privateKey);
  return renderNote(ledgerId, text, signature, createPublicKey(privateKey));
}

/**
 * Reads a note of this ledger. The note must be, byte for byte, what `signCheckpoint` renders for what it says, and its
 * signature must verify; undefined otherwise.
 */
export function openCheckpoint(ledgerId: string, note: string, publicKey: KeyObject): Checkpoint | undefined {
  const lines = note.split('\n');
  const size = Number(lines[1]);
  const root = Buffer.from(lines[2] ?? '', 'base64');
  const signed = Buffer.from(lines[4]?.split(' ')[2] ?? '', 'base64');
  if (!Number.isSafeInteger(size) || root.length !== 32 || signed.length !== 68) return undefined;
  const checkpoint = { size, root: root.toString('hex') };
  const text = checkpointText(ledgerId, checkpoint);
  const signature = signed.subarray(4);
  if (note !== renderNote(ledgerId, text, signature, publicKey)) return undefined;
  return verify(null, Buffer.from(text), publicKey, signature) ? checkpoint : undefined;
}

function checkpointText(ledgerId: string, { size, root }: Checkpoint): string {
  return `${checkpointOrigin(ledgerId)}\n${size}\n${Buffer.from(root, 'hex').toString('base64')}\n`;
}

function renderNote(ledgerId: string, text: string, signature: Uint8Array, publicKey: KeyObject): string {
  const name = checkpointOrigin(ledgerId);
  const blob = Buffer.concat([keyHash(name, publicKey), signature]).toString('base64');
  return `${text}\n— ${name} ${blob}\n`;
}

/** Key hash of signed-note: the first four bytes of SHA-256(name ‖ LF ‖ 0x01 ‖ public key). */
function keyHash(name: string, publicKey: KeyObject): Buffer {
  const hash = createHash('sha256')
    .update(`${name}\n`)
    .update(Uint8Array.of(1))
    .update(rawPublicKey(publicKey));
  return hash.digest().subarray(0, 4);
}

/** The 32 bytes of an Ed25519 public key. */
export function rawPublicKey(publicKey: KeyObject): Buffer {
  return Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url');
}

/** An Ed25519 public key from its 32 bytes. */
export function publicKeyFromRaw(raw: Uint8Array): KeyObject {
  const x = Buffer.from(raw).toString('base64url');
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
}
