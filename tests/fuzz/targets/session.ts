import { Duplex } from 'node:stream';
import {
  clientProof,
  type Credential,
  deriveKey,
  deriveSession,
  encodeKey,
  handshakeTranscript,
  PROTOCOL,
  serverProof,
  type SessionKeys,
} from '@subluminal/core-types';
import type { Socket } from 'node:net';

/** Fixed keys and nonces, so that every run of a target sees the same honest session. */
export const LEDGER_ID = 'ledger-of-the-fuzzer';
export const MASTER = Buffer.alloc(32, 1);
export const NOW = Date.parse('2026-01-02T03:04:05.678Z');
export const NONCE = Buffer.alloc(32, 2);
export const SPEAKS = { version: '1.0.0', protocol: PROTOCOL };

export interface FixedSession {
  readonly credential: Credential;
  readonly hello: {
    readonly v: 1;
    readonly kind: 'run';
    readonly id: string;
    readonly epoch: 1;
    readonly nc: string;
  };
  readonly welcome: {
    readonly v: 1;
    readonly ledger_id: string;
    readonly ns: string;
    readonly proof_s: string;
  };
  readonly proof: { readonly proof_c: string };
  readonly keys: SessionKeys;
}

/** One handshake from both sides. Another id or another nonce of the client gives another session. */
export function fixedSession(id: string, clientNonce: Buffer = NONCE): FixedSession {
  const key = deriveKey(MASTER, LEDGER_ID, 'run', id, 1);
  const nc = clientNonce.toString('base64url');
  const ns = NONCE.toString('base64url');
  const hello = { v: 1, kind: 'run', id, epoch: 1, nc } as const;
  const transcript = handshakeTranscript({ ...hello, ledger_id: LEDGER_ID, ns });
  const keys = deriveSession(key, transcript);
  return {
    credential: { v: 1, kind: 'run', id, epoch: 1, ledger_id: LEDGER_ID, key: encodeKey(key) },
    hello,
    welcome: { v: 1, ledger_id: LEDGER_ID, ns, proof_s: serverProof(keys.hs, transcript) },
    proof: { proof_c: clientProof(keys.hs, transcript) },
    keys,
  };
}

/** A stream in the place of the socket: what is written goes nowhere, `hear` is what comes. */
export class Line extends Duplex {
  override _read(): void {
    // Nothing is read ahead: `hear` hands every chunk over at once.
  }

  override _write(_chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    done();
  }

  hear(chunk: Buffer): void {
    this.emit('data', chunk);
  }

  /** The part of a socket that sessions use. */
  get socket(): Socket {
    return this as unknown as Socket;
  }
}
