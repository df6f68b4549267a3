import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { LOOPBACK, type RefusedPeers } from '@subluminal/gateway';
import type { HttpLimits } from '../limits.js';
import type { DoorSockets } from './door-sockets.js';

/** The answer to a request that cannot be read, by the reason that Node gives. */
const STATUSES: ReadonlyMap<string, string> = new Map([
  ['HPE_HEADER_OVERFLOW', '431 Request Header Fields Too Large'],
  ['ERR_HTTP_REQUEST_TIMEOUT', '408 Request Timeout'],
]);

export interface DoorServerParts {
  readonly limits: Pick<HttpLimits, 'headersMs' | 'maxHeaderBytes' | 'stallMs'>;
  /**
   * `loopback`: connections from 127.0.0.1 alone. A process is found by the port of its end, and another
   * address of this machine may have the same one.
   */
  readonly from: 'loopback' | 'world';
  /** Counts who sends what is no request. */
  readonly refused: RefusedPeers;
  readonly sockets: DoorSockets;
  /** Takes over a connection that asks for another protocol, or destroys it. */
  readonly upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
}

/** The `upgrade` of a door where nothing but HTTP is spoken. */
export function noUpgrade(_request: IncomingMessage, socket: Duplex): void {
  socket.destroy();
}

/** A server of a door, which does not listen yet. `handle` answers one request. */
export function doorServer(
  { from, limits, refused, sockets, upgrade }: DoorServerParts,
  handle: (request: IncomingMessage, response: ServerResponse) => void,
): Server {
  const server = createServer(
    {
      maxHeaderSize: limits.maxHeaderBytes,
      headersTimeout: limits.headersMs,
      // A body has its own limit on time, which a large one does not run into.
      requestTimeout: 0,
      connectionsCheckingInterval: 1000,
      keepAliveTimeout: limits.stallMs,
      requireHostHeader: true,
      insecureHTTPParser: false,
      noDelay: true,
    },
    (request, response) => {
      const { socket } = request;
      sockets.asked(socket);
      response.once('close', () => sockets.answered(socket));
      handle(request, response);
    },
  );
  // Node would leave out what stands behind its two thousandth field, and still go by it.
  server.maxHeadersCount = 0;
  server.on('connection', (socket) => {
    socket.on('error', () => socket.destroy());
    if (from === 'loopback' && socket.remoteAddress !== LOOPBACK) {
      refused.count('http_form');
      socket.destroy();
      return;
    }
    sockets.take(socket);
  });
  server.on('upgrade', (request, socket, head) => {
    // It asks for as long as it is open, so it makes no room for another one.
    sockets.asked(request.socket);
    upgrade(request, socket, head);
  });
  // It is not part of what is spoken here; without a listener Node would hand over the socket or close it.
  server.on('connect', (_request, socket) => socket.destroy());
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    refused.count('http_form');
    const status = STATUSES.get(error.code ?? '') ?? '400 Bad Request';
    if (socket.writable) socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\n\r\n`);
    else socket.destroy();
  });
  return server;
}
