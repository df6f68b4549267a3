import { randomBytes, type KeyObject } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import {
  clientProof,
  decodeKey,
  deriveSession,
  encodeFrame,
  FrameDecoder,
  handshakeTranscript,
  macEquals,
  requestMac,
  serverProof,
  type Credential,
} from '@subluminal/core-types';
import { after } from './harness.js';

const SPEAKS = { protocol: 3, version: '0.1.0' };

/** A peer that speaks frames by hand, so that it can also speak them wrongly. */
export class RawPeer {
  readonly socket: Socket;
  readonly #decoder = new FrameDecoder();
  readonly #frames: string[] = [];
  readonly #closed: Promise<void>;
  #waiting: (() => void)[] = [];
  #ended = false;

  constructor(path: string) {
    this.socket = connect(path);
    this.socket.on('error', () => this.socket.destroy());
    this.socket.on('data', (chunk) => {
      this.#frames.push(...this.#decoder.push(Buffer.from(chunk)));
      this.#wake();
    });
    this.#closed = new Promise((resolve) => {
      this.socket.once('close', () => {
        this.#ended = true;
        this.#wake();
        resolve();
      });
    });
    after(() => {
      this.socket.destroy();
    });
  }

  send(value: unknown): void {
    this.socket.write(encodeFrame(typeof value === 'string' ? value : JSON.stringify(value)));
  }

  /** The next frame, undefined when the gateway has closed the connection. */
  async next(): Promise<Record<string, unknown> | undefined> {
    while (this.#frames.length === 0 && !this.#ended) {
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve);
      });
    }
    const text = this.#frames.shift();
    return text === undefined ? undefined : (JSON.parse(text) as Record<string, unknown>);
  }

  #wake(): void {
    for (const resume of this.#waiting.splice(0)) resume();
  }

  closed(): Promise<void> {
    return this.#closed;
  }
}

/** The client's first frame. */
export function hello(credential: Credential, more: Record<string, unknown> = {}): Record<string, unknown> {
  const { kind, id, epoch } = credential;
  return { v: 1, kind, id, epoch, nc: randomBytes(32).toString('base64url'), ...more };
}

/** An authenticated peer whose requests can be changed before and after they are signed. */
export interface SignedPeer {
  readonly peer: RawPeer;
  /** Sends one request and gives the next frame that comes. */
  readonly ask: (
    request: Partial<RawRequest>,
    tamper?: (signed: Record<string, unknown>) => void,
  ) => Promise<Record<string, unknown> | undefined>;
}

export interface RawRequest {
  readonly id: string;
  readonly timestamp: string;
  readonly action: string;
  readonly payload: unknown;
  readonly source: string;
  /** Signs for another place than its own. */
  readonly seq: number;
  /** Does not say what it speaks in its first request. */
  readonly silent: boolean;
  /** Signs with another key. */
  readonly key: KeyObject;
}

/** Shakes hands by hand and checks the gateway's proof. */
export async function signedPeer(path: string, credential: Credential): Promise<SignedPeer> {
  const peer = new RawPeer(path);
  const first = hello(credential);
  peer.send(first);
  const answer = await peer.next();
  const ns = String(answer?.['ns']);
  const transcript = handshakeTranscript({
    v: 1,
    kind: credential.kind,
    id: credential.id,
    epoch: credential.epoch,
    nc: String(first['nc']),
    ledger_id: String(answer?.['ledger_id']),
    ns,
  });
  const keys = deriveSession(decodeKey(credential.key), transcript);
  if (!macEquals(answer?.['proof_s'], serverProof(keys.hs, transcript)))
    throw new Error('no valid proof of the gateway');
  peer.send({ proof_c: clientProof(keys.hs, transcript) });
  let seq = 0;
  return {
    peer,
    ask(request, tamper) {
      seq += 1;
      const id = request.id ?? randomBytes(12).toString('base64url');
      const timestamp = request.timestamp ?? new Date().toISOString();
      const action = request.action ?? 'run.read';
      // The first request of a connection says what its client speaks.
      const asked = request.payload ?? {};
      const payload =
        seq === 1 && request.silent !== true && isObject(asked) ? { speaks: SPEAKS, ...asked } : asked;
      const signature = requestMac(request.key ?? keys.c2s, {
        seq: request.seq ?? seq,
        id,
        timestamp,
        action,
        payload,
      });
      const source = request.source ?? (credential.kind === 'run' ? credential.id : credential.kind);
      const signed: Record<string, unknown> = { id, timestamp, action, payload, source, signature };
      tamper?.(signed);
      peer.send(signed);
      return peer.next();
    },
  };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
