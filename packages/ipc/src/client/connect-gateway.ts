import { randomBytes } from 'node:crypto';
import { type Credential, type JsonValue, PROTOCOL, type Speaks } from '@subluminal/core-types';
import { dial } from '../connect.js';
import { VERSION } from '../version.js';
import { Connection } from './connection.js';
import { explained } from './explain.js';
import type { GatewayClient } from './gateway-client.js';
import { shakeHands } from './handshake.js';
import { createRequestIds } from './request-ids.js';

const DEFAULT_CONNECT_TIMEOUT_MS = 2000;

export interface ConnectOptions {
  readonly socketPath: string;
  readonly credential: Credential;
  /** Now, in epoch milliseconds. */
  readonly clock: () => number;
  /** Milliseconds of a clock that only goes forward; default: the process's own. */
  readonly monotonic?: () => number;
  readonly random?: (size: number) => Uint8Array;
  /** For connecting and for the gateway's half of the handshake, each; default 2,000. */
  readonly connectTimeoutMs?: number;
  /** Shared by several connections of one client so that ids rise across them; default: an own generator. */
  readonly nextId?: () => string;
  /**
   * `run/gateway.json`: what explains a handshake that failed because gateway and client are of two versions.
   */
  readonly gatewayFile?: string;
  /** The protocol and version that the gateway is told; default: those of this program. */
  readonly speaks?: Speaks;
  /** Called with the body of each verified push. */
  readonly onPush?: (event: JsonValue) => void;
}

/**
 * Connects, shakes hands, and gives the authenticated connection. Errors: `gateway_unreachable` (with
 * `details.absent` true when nobody listens), `handshake_refused`, `version_mismatch`, `path_too_long`,
 * `key_missing`. ARCHITECTURE.md, "The socket".
 */
export async function connectGateway(options: ConnectOptions): Promise<GatewayClient> {
  const { credential, clock } = options;
  const random = options.random ?? randomBytes;
  const speaks = options.speaks ?? { protocol: PROTOCOL, version: VERSION };
  const timeoutMs = options.connectTimeoutMs ?? DEFAULT_CONNECT_TIMEOUT_MS;
  const socket = await dial(options.socketPath, timeoutMs);
  try {
    const { keys, proof } = await shakeHands(socket, { credential, random, timeoutMs });
    return new Connection({
      socket,
      keys,
      proof,
      ledgerId: credential.ledger_id,
      source: credential.kind === 'run' ? credential.id : credential.kind,
      clock,
      monotonic: options.monotonic ?? (() => performance.now()),
      speaks,
      nextId: options.nextId ?? createRequestIds(random),
      onPush: options.onPush,
    });
  } catch (error) {
    socket.destroy();
    throw explained(
      error,
      options.gatewayFile,
      credential.kind === 'operator' ? 'operator' : 'agent',
      speaks,
    );
  }
}
