import type { NetVia } from '@subluminal/core-types';

/** A connection that a client asks for. */
export interface NetAsk {
  readonly serverName: string | undefined;
  readonly via: NetVia;
  /** The world that it comes from; undefined of one that comes from none. */
  readonly worldId: string | undefined;
  /** As the client wrote it. */
  readonly host: string;
  readonly port: number;
}
