/** The bounds of everything that is reached over HTTP. */
export interface HttpLimits {
  /** Connections of clients at once; for a further one the longest idle is closed. */
  readonly maxConnections: number;
  /** Requests and streams that are open at once, of all and of one run. */
  readonly maxExchanges: number;
  readonly maxRunExchanges: number;
  /** Sessions with MCP servers that one run holds, and streams of one session that are open at once. */
  readonly maxRunSessions: number;
  readonly maxSessionStreams: number;
  /**
   * Bytes of the header of a request, and how long it may take to come; bodies stall for no longer than that
   * either.
   */
  readonly maxHeaderBytes: number;
  readonly headersMs: number;
  readonly stallMs: number;
  /** A session that nothing was asked of for so long is over. */
  readonly idleSessionMs: number;
  /** Events of a stream: their fields besides the message, and how long a stream may have nothing to say. */
  readonly maxFieldBytes: number;
  readonly idleStreamMs: number;
  /** How long a server may take to begin an answer, and one to a connection attempt. */
  readonly answerMs: number;
  readonly connectMs: number;
}

export const DEFAULT_HTTP_LIMITS: HttpLimits = {
  maxConnections: 2048,
  maxExchanges: 1536,
  maxRunExchanges: 256,
  maxRunSessions: 64,
  maxSessionStreams: 32,
  maxHeaderBytes: 32_768,
  headersMs: 10_000,
  stallMs: 30_000,
  idleSessionMs: 24 * 3_600_000,
  maxFieldBytes: 8192,
  idleStreamMs: 3_600_000,
  answerMs: 3_600_000,
  connectMs: 30_000,
};
