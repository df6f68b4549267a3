/** A session has begun. The token goes into `sessionStorage`, and with each request as `Bearer`. */
export interface SessionBegun {
  readonly token: string;
  /** The id of the session, as the record has it. */
  readonly session: string;
}

/** Until then, in epoch ms, the page may allow more. */
export interface Unlocked {
  readonly unlocked_until: number;
}
