/**
 * The answer to `net.connect`. It may be dialled while the allowlist is of that generation, and nothing else
 * may. `seq` is the connection that `net.end` names. `bytes_left`: what the run may carry besides what its
 * open connections have, null for no limit.
 */
export type Connected = {
  readonly seq: number;
  readonly host: string;
  readonly port: number;
  readonly addresses: readonly string[];
  readonly allow_private: boolean;
  readonly generation: number;
  readonly tls: boolean;
  readonly plain: boolean;
  readonly raw: boolean;
  readonly listed: boolean;
  /** Secrets may be put in on it. */
  readonly inspected: boolean;
  readonly bytes_left: number | null;
};

/** The answer to `http.reach`: the addresses may be dialled while the allowlist is of that generation. */
export type Reached = {
  readonly addresses: readonly string[];
  readonly allow_private: boolean;
  readonly generation: number;
};

/** The answers to the actions that the gateway asks of itself. */
export interface Answers {
  readonly 'net.connect': Connected;
  readonly 'net.end': Readonly<Record<string, never>>;
  readonly 'net.name': Readonly<Record<string, never>>;
  readonly 'http.reach': Reached;
}
