import { createHash, createPublicKey, sign, verify, type KeyObject } from 'node:crypto';
import { rawPublicKey } from '@subluminal/core-types';

/** So many entries have this Merkle root. `root` is lowercase hex. */
export interface Checkpoint {
  readonly size: number;
  readonly root: string;
}

/** Origin and key name of a ledger's checkpoints. */
function checkpointOrigin(ledgerId: string): string {
  return `subluminal/${ledgerId}`;
}

/** The private keys of a checkpoint: without `seal`, the log key signs alone. */
export interface CheckpointSigners {
  readonly log: KeyObject;
  readonly seal?: KeyObject;
}

/** The public halves of `CheckpointSigners`. */
export type CheckpointKeys = CheckpointSigners;

/**
 * Renders a checkpoint (C2SP tlog-checkpoint) as a signed note (C2SP signed-note, Ed25519): any existing
 * witness or verifier reads it. The log key signs first; the seal key in force, where there is one, second
 * and under a name of its own, so that whoever knows the log key alone passes it over.
 */
export function signCheckpoint(ledgerId: string, checkpoint: Checkpoint, keys: CheckpointSigners): string {
  return new CheckpointSigner(ledgerId).sign(checkpoint, keys);
}

/**
 * Signs one checkpoint after the other. To export a key for its hash costs as much as a signature, so each is
 * exported once.
 */
export class CheckpointSigner {
  readonly #ledgerId: string;
  /** By the name of a key. A name has one key at a time: a new seal key takes the place of the old one. */
  readonly #hashes = new Map<string, { readonly key: KeyObject; readonly hash: Buffer }>();

  constructor(ledgerId: string) {
    this.#ledgerId = ledgerId;
  }

  /** The checkpoint as `signCheckpoint` renders it. */
  sign(checkpoint: Checkpoint, keys: CheckpointSigners): string {
    const text = checkpointText(this.#ledgerId, checkpoint);
    const lines = signers(this.#ledgerId, keys).map(([name, key]) =>
      signatureLine(name, this.#hashOf(name, key), sign(null, Buffer.from(text), key)),
    );
    return `${text}\n${lines.join('')}`;
  }

  #hashOf(name: string, key: KeyObject): Buffer {
    const known = this.#hashes.get(name);
    if (known?.key === key) return known.hash;
    const hash = keyHash(name, createPublicKey(key));
    this.#hashes.set(name, { key, hash });
    return hash;
  }
}

/**
 * Reads a note of this ledger. The note must be, byte for byte, what `signCheckpoint` renders for what it
 * says, and every signature must verify; undefined otherwise.
 */
export function openCheckpoint(ledgerId: string, note: string, keys: CheckpointKeys): Checkpoint | undefined {
  const [, sizeLine, rootLine = '', , ...signatures] = note.split('\n');
  const size = Number(sizeLine);
  const root = Buffer.from(rootLine, 'base64');
  if (!Number.isSafeInteger(size) || root.length !== 32) return undefined;
  const checkpoint = { size, root: root.toString('hex') };
  const text = checkpointText(ledgerId, checkpoint);
  let lines = '';
  for (const [at, [name, key]] of signers(ledgerId, keys).entries()) {
    const signature = Buffer.from(signatures[at]?.split(' ')[2] ?? '', 'base64').subarray(4);
    if (!verify(null, Buffer.from(text), key, signature)) return undefined;
    lines += signatureLine(name, keyHash(name, key), signature);
  }
  return note === `${text}\n${lines}` ? checkpoint : undefined;
}

/**
 * The first signature line of a note, with the text before it: what somebody sees who knows the log key
 * alone.
 */
export function logSignedPart(note: string): string {
  const end = note.indexOf('\n', note.indexOf('\n\n') + 2);
  return end === -1 ? note : note.slice(0, end + 1);
}

function signers(ledgerId: string, keys: CheckpointKeys): [name: string, key: KeyObject][] {
  const origin = checkpointOrigin(ledgerId);
  const log: [string, KeyObject] = [origin, keys.log];
  return keys.seal === undefined ? [log] : [log, [`${origin}/seal`, keys.seal]];
}

function checkpointText(ledgerId: string, { size, root }: Checkpoint): string {
  return `${checkpointOrigin(ledgerId)}\n${size}\n${Buffer.from(root, 'hex').toString('base64')}\n`;
}

function signatureLine(name: string, hash: Buffer, signature: Uint8Array): string {
  const blob = Buffer.concat([hash, signature]).toString('base64');
  return `— ${name} ${blob}\n`;
}

/** Key hash of signed-note: the first four bytes of SHA-256(name ‖ LF ‖ 0x01 ‖ public key). */
function keyHash(name: string, publicKey: KeyObject): Buffer {
  const hash = createHash('sha256')
    .update(`${name}\n`)
    .update(Uint8Array.of(1))
    .update(rawPublicKey(publicKey));
  return hash.digest().subarray(0, 4);
}
