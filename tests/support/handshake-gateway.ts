import { createServer, type Server, type Socket } from 'node:net';
import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import {
  ActionRequest,
  type ActionResponse,
  canonicalize,
  type Credential,
  clientProof,
  deriveKey,
  deriveSession,
  encodeFrame,
  encodeKey,
  FrameDecoder,
  handshakeTranscript,
  macEquals,
  parseJson,
  pushMac,
  responseMac,
  serverProof,
  type SessionKeys,
  verifyRequest,
} from '@subluminal/core-types';

const Hello = z.object({ kind: z.string(), id: z.string(), epoch: z.number(), nc: z.string() });
const Proof = z.object({ proof_c: z.string() });

/** What a test wants to be answered; `raw` replaces the signed frame. */
export interface Reply {
  status?: ActionResponse['status'];
  data?: unknown;
  error?: { code: string; message: string };
  timestamp?: string;
  auditRef?: string;
  raw?: (signed: Record<string, unknown>) => unknown;
}

/** The answer where a test scripts nothing of secrets: the server has none. No server starts without one. */
const NO_SECRETS: Reply = { data: { secrets: [] } };

const isEmpty = (reply: Reply | undefined): boolean => reply !== undefined && Object.keys(reply).length === 0;

export interface HandshakeGatewayOptions {
  socketPath: string;
  answer: (request: ActionRequest, peer: Peer) => Reply | Promise<Reply> | undefined;
  /** Changes the gateway's half of the handshake. */
  hello?: (frame: Record<string, unknown>, keys: SessionKeys, transcript: Uint8Array) => unknown;
}

/** The server side of one connection. */
export class Peer {
  readonly socket: Socket;
  keys: SessionKeys | undefined;
  received = 0;
  sent = 0;

  constructor(socket: Socket) {
    this.socket = socket;
  }

  write(value: unknown): void {
    this.socket.write(encodeFrame(canonicalize(value)));
  }

  push(event: unknown): void {
    if (this.keys === undefined) throw new Error('no handshake yet');
    this.sent += 1;
    this.write({ event, signature: pushMac(this.keys.s2c, { seq: this.sent, body: { event } }) });
  }
}

/**
 * The gateway's half of the wire with scripted answers: handshake, frames and signatures are the real ones,
 * so that a test can make one thing of them wrong. Everything that needs decisions runs against the real
 * gateway.
 */
export class HandshakeGateway {
  readonly ledgerId = 'ledger-of-this-test';
  readonly requests: ActionRequest[] = [];
  readonly failures: string[] = [];
  readonly peers = new Set<Peer>();
  readonly #master = randomBytes(32);
  readonly #options: HandshakeGatewayOptions;
  readonly #server: Server;

  constructor(options: HandshakeGatewayOptions) {
    this.#options = options;
    this.#server = createServer((socket) => this.#serve(socket));
  }

  credential(kind: Credential['kind'], id: string, epoch = 1): Credential {
    const key = encodeKey(deriveKey(this.#master, this.ledgerId, kind, id, epoch));
    return { v: 1, kind, id, epoch, ledger_id: this.ledgerId, key };
  }

  listen(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(this.#options.socketPath, resolve);
    });
  }

  close(): Promise<void> {
    for (const peer of this.peers) peer.socket.destroy();
    return new Promise((resolve) => {
      this.#server.close(() => resolve());
    });
  }

  #serve(socket: Socket): void {
    const peer = new Peer(socket);
    this.peers.add(peer);
    const decoder = new FrameDecoder();
    let transcript: Uint8Array | undefined;
    let proven = false;
    socket.on('error', (error) => this.failures.push(error.message));
    socket.on('close', () => this.peers.delete(peer));
    socket.on('data', (chunk) => {
      for (const text of decoder.push(chunk)) {
        if (transcript === undefined) transcript = this.#hello(peer, text);
        else if (!proven) proven = this.#prove(peer, text, transcript);
        else void this.#request(peer, text);
      }
    });
  }

  #hello(peer: Peer, text: string): Uint8Array {
    const { kind, id, epoch, nc } = Hello.parse(JSON.parse(text));
    const ns = randomBytes(32).toString('base64url');
    const transcript = handshakeTranscript({ v: 1, kind, id, epoch, nc, ledger_id: this.ledgerId, ns });
    const keys = deriveSession(deriveKey(this.#master, this.ledgerId, kind, id, epoch), transcript);
    const frame = { v: 1, ledger_id: this.ledgerId, ns, proof_s: serverProof(keys.hs, transcript) };
    peer.write(this.#options.hello?.(frame, keys, transcript) ?? frame);
    peer.keys = keys;
    return transcript;
  }

  #prove(peer: Peer, text: string, transcript: Uint8Array): boolean {
    const { proof_c: proof } = Proof.parse(JSON.parse(text));
    if (peer.keys !== undefined && macEquals(proof, clientProof(peer.keys.hs, transcript))) return true;
    this.failures.push('proof_c');
    peer.socket.destroy();
    return false;
  }

  async #request(peer: Peer, text: string): Promise<void> {
    const request = ActionRequest.parse(parseJson(text));
    peer.received += 1;
    if (peer.keys === undefined || !verifyRequest(peer.keys.c2s, peer.received, request)) {
      this.failures.push(`signature of ${request.action}`);
      peer.socket.destroy();
      return;
    }
    this.requests.push(request);
    const scripted = await this.#options.answer(request, peer);
    const reply = request.action === 'secrets.release' && isEmpty(scripted) ? NO_SECRETS : scripted;
    if (reply === undefined || peer.socket.destroyed) return;
    const { data, error } = reply;
    const body = {
      requestId: request.id,
      timestamp: reply.timestamp ?? new Date().toISOString(),
      status: reply.status ?? 'success',
      auditRef: reply.auditRef ?? '',
      ...(data === undefined ? {} : { data }),
      ...(error === undefined ? {} : { error }),
    };
    peer.sent += 1;
    const signature = responseMac(peer.keys.s2c, { ...body, seq: peer.sent, requestMac: request.signature });
    const signed = { ...body, signature };
    peer.write(reply.raw?.(signed) ?? signed);
  }
}
