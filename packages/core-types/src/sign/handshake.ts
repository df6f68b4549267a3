import { createHmac, type KeyObject } from 'node:crypto';
import { sha256Bytes } from '../hash/node.js';
import { epochText } from './keys.js';
import { lengthPrefixed } from './length-prefix.js';

/**
 * Everything both sides say before the proofs, under its wire names; nonces as the base64url text that was
 * sent.
 */
export interface HandshakeFields {
  readonly v: number;
  readonly kind: string;
  readonly id: string;
  readonly epoch: number;
  readonly nc: string;
  readonly ledger_id: string;
  readonly ns: string;
}

/** T of the handshake: SHA-256 over all fields of both sides, 32 bytes. Each proof and key is bound to it. */
export function handshakeTranscript(fields: HandshakeFields): Uint8Array {
  const { v, kind, id, epoch, nc, ledger_id: ledgerId, ns } = fields;
  const texts = [String(v), kind, id, epochText(epoch), nc, ledgerId, ns];
  return sha256Bytes(Buffer.concat([Buffer.from('subl/v1/hs'), ...texts.map(lengthPrefixed)]));
}

/** `proof_s`: shows that the gateway holds the key of this client. base64url. `hs` is the handshake key. */
export function serverProof(hs: KeyObject, transcript: Uint8Array): string {
  return createHmac('sha256', hs).update('server').update(transcript).digest('base64url');
}

/** `proof_c`: shows that the client holds its key. base64url. `hs` is the handshake key. */
export function clientProof(hs: KeyObject, transcript: Uint8Array): string {
  return createHmac('sha256', hs).update('client').update(transcript).digest('base64url');
}
