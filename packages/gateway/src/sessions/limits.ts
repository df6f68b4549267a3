/** What a peer may cost before and after it has shown its key. Times in milliseconds. */
export interface PeerLimits {
  readonly maxFrameBytes: number;
  /** Peers that have not shown a key yet; with one more, the oldest of them is turned away. */
  readonly maxUnauthenticated: number;
  readonly maxConnections: number;
  /** Of these, how many one run may have; connections with the enrol key share as many. */
  readonly maxRunConnections: number;
  /** From the connection to the client's proof. */
  readonly handshakeDeadlineMs: number;
  /** For a frame that has begun to arrive, and for a peer that does not read its answers. */
  readonly stallDeadlineMs: number;
  /** Bytes of answers that wait for one peer; with more it is dropped. */
  readonly maxOutgoingBytes: number;
  /** Requests of one connection that are being worked on; further ones wait in the socket. */
  readonly maxInFlight: number;
  /** Requests that are worked on of all peers together; further ones wait in their sockets. */
  readonly maxAllInFlight: number;
  /** Bytes of requests that all peers together have in memory. */
  readonly maxBytesInFlight: number;
  /** The same for all connections of one run. */
  readonly maxRunBytes: number;
  /** Requests that are worked on of all connections of one run; further ones wait in their sockets. */
  readonly maxRunInFlight: number;
  /** Of `maxBytesInFlight`, what is kept for the operator. */
  readonly operatorReserveBytes: number;
}

/** A handshake frame is a few hundred bytes. ARCHITECTURE.md, "The socket". */
export const MAX_HANDSHAKE_FRAME_BYTES = 4096;

/** The limits unless the configuration sets some. ARCHITECTURE.md, "The socket". */
export const DEFAULT_PEER_LIMITS: PeerLimits = {
  maxFrameBytes: 8 * 1024 * 1024,
  maxUnauthenticated: 64,
  maxConnections: 1024,
  maxRunConnections: 128,
  handshakeDeadlineMs: 2000,
  stallDeadlineMs: 10_000,
  maxOutgoingBytes: 32 * 1024 * 1024,
  maxInFlight: 256,
  maxAllInFlight: 4096,
  maxBytesInFlight: 128 * 1024 * 1024,
  maxRunBytes: 32 * 1024 * 1024,
  maxRunInFlight: 512,
  operatorReserveBytes: 16 * 1024 * 1024,
};
