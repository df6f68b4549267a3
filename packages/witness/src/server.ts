import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Witness, WitnessAnswer } from './witness.js';

/** The share of a witness that one client may take. */
export interface WitnessLimits {
  readonly maxBodyBytes: number;
  readonly maxConnections: number;
  /** From the first byte of a request to its last. */
  readonly requestMs: number;
  /** How long a connection may rest between requests. */
  readonly idleMs: number;
}

/** 63 hashes are 3 KiB; the rest is for the signatures of others. */
export const WITNESS_LIMITS: WitnessLimits = {
  maxBodyBytes: 65_536,
  maxConnections: 64,
  requestMs: 10_000,
  idleMs: 5_000,
};

/**
 * The HTTP side of a witness. Everything is bounded: bodies, headers, connections, and the time that a
 * request may take, so that a client that sends a byte now and then holds one of a few places for a few
 * seconds.
 */
export function createWitnessServer(
  witness: Witness,
  limits: WitnessLimits,
  onError: (error: unknown) => void,
): Server {
  const server = createServer(
    {
      headersTimeout: limits.requestMs,
      requestTimeout: limits.requestMs,
      keepAliveTimeout: limits.idleMs,
      connectionsCheckingInterval: Math.min(1000, limits.requestMs),
      maxHeaderSize: 8192,
    },
    (request, response) => {
      answer(witness, limits, request, response).catch((error: unknown) => {
        onError(error);
        // Its memory could not be read or written: it says nothing rather than sign what it may forget.
        send(response, 500, 'text/plain; charset=utf-8', 'the witness failed\n');
      });
    },
  );
  server.maxConnections = limits.maxConnections;
  server.maxHeadersCount = 64;
  return server;
}

async function answer(
  witness: Witness,
  limits: WitnessLimits,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (request.url !== '/add-checkpoint') return refuse(request, response, 404, 'there is nothing here');
  if (request.method !== 'POST') return refuse(request, response, 405, 'add-checkpoint takes a POST');
  const body = await readBody(request, limits.maxBodyBytes);
  if (body === 'too large') return refuse(request, response, 413, 'the request is too large');
  if (body === 'cut off') return;
  const { status, type, body: text }: WitnessAnswer = witness.add(body.toString('utf8'));
  send(response, status, type, text);
}

/** Bytes that are not read would be taken for the next request. */
function refuse(request: IncomingMessage, response: ServerResponse, status: number, why: string): void {
  response.setHeader('connection', 'close');
  send(response, status, 'text/plain; charset=utf-8', `${why}\n`);
  request.resume();
}

function send(response: ServerResponse, status: number, type: string, text: string): void {
  if (response.headersSent || response.destroyed) return;
  response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(text) }).end(text);
}

function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer | 'too large' | 'cut off'> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= maxBytes) chunks.push(chunk);
      else resolve('too large');
    });
    request.once('end', () => resolve(Buffer.concat(chunks)));
    request.once('close', () => resolve('cut off'));
    request.once('error', () => resolve('cut off'));
  });
}
