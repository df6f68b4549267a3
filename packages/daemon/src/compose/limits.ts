import type { GatewayConfig } from '@subluminal/core-types';
import {
  connectionBounds,
  type ConnectionBounds,
  DEFAULT_PEER_LIMITS,
  type LogBounds,
  type PeerLimits,
  type StartConfig,
} from '@subluminal/gateway';
import { DEFAULT_HTTP_LIMITS } from '@subluminal/remote';
import { FIXED_LIMITS } from '@subluminal/proxy';
import { mebibytes } from './mebibytes.js';
import type { GatewayOptions } from './options.js';

/** How many connections there may be, as `config.toml` and the limit of open files say. */
export function connectionLimits({ ipc }: StartConfig, openFiles: number | undefined): ConnectionBounds {
  return connectionBounds(openFiles, {
    unauthenticated: ipc.max_unauthenticated,
    connections: ipc.max_connections,
    http: DEFAULT_HTTP_LIMITS.maxConnections,
    exchanges: DEFAULT_HTTP_LIMITS.maxExchanges,
    runExchanges: DEFAULT_HTTP_LIMITS.maxRunExchanges,
    strangers: FIXED_LIMITS.maxUnauthenticated,
    // `[egress]` bounds them, and may change while the gateway runs.
    guests: Number.POSITIVE_INFINITY,
  });
}

/**
 * The shares of one connection, of one run and of all of them, as `config.toml` and the one who starts the
 * gateway say.
 */
export function peerLimits(
  { ipc }: StartConfig,
  bounds: ConnectionBounds,
  { limits }: Pick<GatewayOptions, 'limits'>,
): PeerLimits {
  return {
    ...DEFAULT_PEER_LIMITS,
    maxFrameBytes: ipc.max_frame_bytes,
    maxUnauthenticated: bounds.unauthenticated,
    maxConnections: bounds.connections,
    maxRunConnections: ipc.max_run_connections,
    maxAllInFlight: ipc.max_in_flight,
    maxRunInFlight: ipc.max_run_in_flight,
    maxBytesInFlight: ipc.max_bytes_in_flight,
    maxRunBytes: ipc.max_run_bytes,
    ...limits,
  };
}

/** The room of the log, as `config.toml` says. */
export function logBounds({ log }: Pick<GatewayConfig, 'log'>): LogBounds {
  return { maxBytes: mebibytes(log.max_mb), kept: log.keep };
}
