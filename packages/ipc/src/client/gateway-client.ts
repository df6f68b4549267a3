import type { ActionResponse, SublError } from '@subluminal/core-types';

/** How one request is sent. */
export interface RequestOptions {
  /**
   * How long to wait for the answer; default 60,000. Then the request fails with `timed_out`; it may still
   * happen.
   */
  readonly timeoutMs?: number;
  /** Gives up waiting, with `timed_out`. */
  readonly signal?: AbortSignal;
  /** The request id, single-use in its run; default: a new one that rises. */
  readonly id?: string;
}

/** An authenticated connection to the gateway. */
export interface GatewayClient {
  readonly ledgerId: string;
  /**
   * Asks for an action; a payload may be a `CanonicalText`. Resolves with the verified answer, whatever its
   * status. Rejects with `gateway_unreachable` when the connection ends or anything on it does not verify
   * (the outcome of a sent request is then unknown), `handshake_refused` when the gateway no longer takes
   * this key, `timed_out`, `overloaded`, `frame_too_large`, or `not_canonical`, `too_deep`, `invalid_request`
   * for what cannot be asked. A `stale_timestamp` is repeated once under a new id with the gateway's time,
   * where that can be read.
   */
  request(action: string, payload: unknown, options?: RequestOptions): Promise<ActionResponse>;
  /** Ends the connection at once; what waits is rejected with `gateway_unreachable`. */
  close(): void;
  /** Resolves with the reason when the connection has ended, for whatever reason. Never rejects. */
  readonly closed: Promise<SublError>;
}
