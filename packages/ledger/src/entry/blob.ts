import { sha256Hex } from '@subluminal/core-types';

/** The fate of a blob: stored, or dropped for a named reason. Expiry is an entry, never a changed state. */
export type BlobState = 'present' | 'dropped:backpressure' | 'dropped:budget';

/** The commitment to a blob in the body, under `data["#blobs"][slot]`. `len` counts bytes. */
export interface BlobCommitment {
  readonly hash: string;
  readonly len: number;
  readonly state: BlobState;
}

/** A blob as its table holds it. */
export interface StoredBlob {
  readonly slot: string;
  readonly salt: Uint8Array;
  readonly data: Uint8Array;
}

/** SHA-256 over salt and content: without the salt, a short preview could be guessed from its hash. */
export function blobHash(salt: Uint8Array, data: Uint8Array): string {
  return sha256Hex(Buffer.concat([salt, data]));
}
