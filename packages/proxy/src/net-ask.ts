import type { NetVia } from '@subluminal/core-types';

/** A connection that a client asks for. */
export interface NetAsk {
  readonly serverName: string | undefined;
  readonly via: NetVia;
  /** As the client wrote it. */
  readonly host: string;
  readonly port: number;
}
