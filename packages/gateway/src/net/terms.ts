import type { Destination, EgressProtocol } from '../egress/destination.js';
import type { Allowlist } from '../security/allowlist.js';

/** What the allowlist says of a connection. */
export interface Terms {
  readonly allowPrivate: boolean;
  /** It may carry something else than TLS. */
  readonly raw: boolean;
}

/** What a tunnel carries that begins with TLS. */
const OVER_TLS: readonly EgressProtocol[] = ['https', 'imaps', 'smtps'];

/**
 * The terms of a connection; undefined where no entry names it. A request in absolute form needs an entry for `http`. A tunnel
 * needs one for what is spoken over TLS; one whose protocol is exactly `tcp` lets it carry anything, as far as it allows as much.
 */
export function termsOf(
  allowlist: Pick<Allowlist, 'find' | 'names'>,
  { protocol, host, port }: Destination,
): Terms | undefined {
  if (protocol === 'http') {
    const entry = allowlist.find({ protocol, host, port });
    return entry === undefined ? undefined : { allowPrivate: entry.allow_private, raw: false };
  }
  const tcp = allowlist.names({ protocol: 'tcp', host, port });
  const secure = OVER_TLS.map((one) => allowlist.find({ protocol: one, host, port })).find(
    (entry) => entry !== undefined,
  );
  const entry = secure ?? tcp;
  if (entry === undefined) return undefined;
  const raw = tcp !== undefined && (tcp.allow_private || !entry.allow_private);
  return { allowPrivate: entry.allow_private, raw };
}
