import type { StartConfig } from '../config/in-force.js';
import { DEFAULT_PEER_LIMITS, type PeerLimits } from '../ipc/limits.js';
import type { GatewayOptions } from './options.js';

/** What one connection, one run and all of them may take, as `config.toml` and the one who starts the gateway say. */
export function peerLimits({ ipc }: StartConfig, { limits }: Pick<GatewayOptions, 'limits'>): PeerLimits {
  return {
    ...DEFAULT_PEER_LIMITS,
    maxFrameBytes: ipc.max_frame_bytes,
    maxUnauthenticated: ipc.max_unauthenticated,
    maxConnections: ipc.max_connections,
    maxRunConnections: ipc.max_run_connections,
    maxAllInFlight: ipc.max_in_flight,
    maxRunInFlight: ipc.max_run_in_flight,
    maxBytesInFlight: ipc.max_bytes_in_flight,
    maxRunBytes: ipc.max_run_bytes,
    ...limits,
  };
}
