import type { Destination, EgressProtocol } from '@subluminal/egress';
import type { Allowlist } from '../allowlist/allowlist.js';

/** What the allowlist says of a connection. */
export interface Terms {
  readonly allowPrivate: boolean;
  /** It may carry TLS. */
  readonly tls: boolean;
  /** It may carry requests without TLS. */
  readonly plain: boolean;
  /** It may carry anything else. */
  readonly raw: boolean;
}

/** What a tunnel carries that begins with TLS. */
const OVER_TLS: readonly EgressProtocol[] = ['https', 'imaps', 'smtps'];

/**
 * The terms of a connection; undefined where no entry names it. A request in absolute form needs an entry for
 * `http`. A tunnel needs one for what is spoken in it: over TLS, or a request without; one whose protocol is
 * exactly `tcp` lets it carry anything. Each as far as it allows as much of private addresses as the entry
 * that the connection goes by.
 */
export function termsOf(
  allowlist: Pick<Allowlist, 'find' | 'names'>,
  { protocol, host, port }: Destination,
): Terms | undefined {
  const tcp = allowlist.names({ protocol: 'tcp', host, port });
  const plain = allowlist.find({ protocol: 'http', host, port }) ?? tcp;
  if (protocol === 'http')
    return plain === undefined
      ? undefined
      : { allowPrivate: plain.allow_private, tls: false, plain: true, raw: false };
  const secure = OVER_TLS.map((one) => allowlist.find({ protocol: one, host, port })).find(
    (entry) => entry !== undefined,
  );
  const entry = secure ?? tcp ?? plain;
  if (entry === undefined) return undefined;
  const allowPrivate = entry.allow_private;
  const covers = (one: typeof entry | undefined): boolean =>
    one !== undefined && (one.allow_private || !allowPrivate);
  return { allowPrivate, tls: covers(secure ?? tcp), plain: covers(plain), raw: covers(tcp) };
}
