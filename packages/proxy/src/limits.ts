/** The bounds of the proxy. Those of `[egress]` in config.toml come from there. */
export interface ProxyLimits {
  /** Connections that have shown a token, of all and of one run. */
  readonly maxConnections: number;
  readonly maxRunConnections: number;
  /** Connections that have shown none yet; who waits longest makes room. */
  readonly maxUnauthenticated: number;
  /** Bytes of the head of a request or an answer. */
  readonly maxHeadBytes: number;
  /** How long a head may take to come, and what a client sends first through a tunnel. */
  readonly headMs: number;
  /** How long a destination may take to accept. */
  readonly dialMs: number;
  /** How long a connection may carry nothing. */
  readonly idleMs: number;
  /** How long a client that was told the end may take to leave. */
  readonly lingerMs: number;
  /** Of one run, both directions together; it is slowed down to that. */
  readonly bytesPerSecond: number | undefined;
}

/** What config.toml does not say. */
export const FIXED_LIMITS = {
  maxUnauthenticated: 1024,
  maxHeadBytes: 32_768,
  headMs: 10_000,
  lingerMs: 2000,
} as const;
