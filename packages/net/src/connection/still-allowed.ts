import { destinationFor } from '@subluminal/egress';
import type { GatewayConfig, NetConnectPayload } from '@subluminal/core-types';
import type { Allowlist } from '../allowlist/allowlist.js';
import type { Connected } from '@subluminal/gateway';
import { termsOf } from './terms.js';

/** A connection as it was asked for, and as it was decided. */
interface OpenConnection {
  readonly ask: Pick<NetConnectPayload, 'via' | 'host' | 'port'>;
  readonly decision: Pick<Connected, 'listed' | 'allow_private' | 'tls' | 'plain' | 'raw'>;
}

/**
 * Tells whether the changed allowlist still has everything that let an open connection through: its entry,
 * and that entry's leave for private addresses and for each thing that the connection may carry. A mode lets
 * through names that no entry has: another mode may not.
 */
export function isStillAllowed(
  allowlist: Pick<Allowlist, 'find' | 'names'>,
  { ask, decision }: OpenConnection,
  mode: GatewayConfig['egress']['mode'],
): boolean {
  if (!decision.listed && mode === 'observe') return true;
  const protocol = ask.via === 'http' ? 'http' : 'tcp';
  const terms = termsOf(allowlist, destinationFor(protocol, ask.host, ask.port));
  if (terms === undefined) return false;
  return (
    (terms.allowPrivate || !decision.allow_private) &&
    (terms.tls || !decision.tls) &&
    (terms.plain || !decision.plain) &&
    (terms.raw || !decision.raw)
  );
}
