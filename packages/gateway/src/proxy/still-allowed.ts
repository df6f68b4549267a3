import { destinationFor } from '../egress/destination.js';
import { termsOf } from '../net/terms.js';
import type { Allowlist } from '../security/allowlist.js';
import type { GatewayConfig } from '@subluminal/core-types';
import type { Opened } from './opened.js';

/**
 * Whether the allowlist, which has changed, still has what an open connection was let through for: its entry, that entry's leave
 * for private addresses, and for each thing that it may carry. A mode lets through what no entry names: another one may not.
 */
export function isStillAllowed(
  allowlist: Pick<Allowlist, 'find' | 'names'>,
  { ask, decision }: Pick<Opened, 'ask' | 'decision'>,
  mode: GatewayConfig['egress']['mode'],
): boolean {
  if (!decision.listed && mode === 'observe') return true;
  const protocol = ask.via === 'http' ? 'http' : 'tcp';
  const terms = termsOf(allowlist, destinationFor(protocol, ask.host, ask.port));
  if (terms === undefined) return false;
  return (
    (terms.allowPrivate || !decision.allowPrivate) &&
    (terms.tls || !decision.tls) &&
    (terms.plain || !decision.plain) &&
    (terms.raw || !decision.raw)
  );
}
