import { destinationFor } from '@subluminal/egress';
import type { GatewayConfig, NetConnectPayload } from '@subluminal/core-types';
import type { Allowlist } from '../allowlist/allowlist.js';
import type { Connected } from '@subluminal/gateway';
import { type OpenWorlds, termsOfWorld } from '../world-terms.js';
import { termsOf } from './terms.js';

/** A connection as it was asked for, and as it was decided. */
interface OpenConnection {
  readonly ask: Pick<NetConnectPayload, 'via' | 'host' | 'port' | 'world_id'>;
  readonly runId: string;
  readonly decision: Pick<Connected, 'listed' | 'allow_private' | 'tls' | 'plain' | 'raw'>;
}

/**
 * Tells whether the changed allowlist still has everything that let an open connection through: its entry,
 * and that entry's leave for private addresses and for each thing that the connection may carry. A mode lets
 * through names that no entry has: another mode may not. The settings of its world may have changed, too.
 */
export function isStillAllowed(
  allowlist: Pick<Allowlist, 'find' | 'names'>,
  worlds: OpenWorlds,
  { ask, runId, decision }: OpenConnection,
  mode: GatewayConfig['egress']['mode'],
): boolean {
  const wanted = destinationFor(ask.via === 'http' ? 'http' : 'tcp', ask.host, ask.port);
  const world = termsOfWorld(worlds, runId, ask);
  if (world === 'gone' || world?.refusal(wanted.host) !== undefined) return false;
  if (!decision.listed && mode === 'observe') return true;
  const terms = termsOf(allowlist, wanted);
  if (terms === undefined) return false;
  return (
    (terms.allowPrivate || !decision.allow_private) &&
    (terms.tls || !decision.tls) &&
    (terms.plain || !decision.plain) &&
    (terms.raw || !decision.raw)
  );
}
