import { isSublError, SublError, type GatewayConfig } from '@subluminal/core-types';
import { destinationFor, type Destination } from '../egress/destination.js';
import { readHost } from '../egress/host.js';
import type { PipelineCall } from '../pipeline/call.js';
import { payloadOf } from '../pipeline/payload.js';
import { refuse, refuseFor } from '../pipeline/reply.js';
import { settle, type SettleParts } from '../pipeline/settle.js';
import type { StageResult } from '../pipeline/stage.js';
import type { Allowlist } from '../security/allowlist.js';
import { askedFacts } from './facts.js';
import { termsOf } from './terms.js';

/** What a connection is decided with. */
export interface ConnectionParts extends SettleParts {
  readonly allowlist: Pick<Allowlist, 'find' | 'names' | 'generation'>;
  readonly timeoutMs: number;
  readonly mode: GatewayConfig['egress']['mode'];
}

/**
 * Stage 3 of `net.connect`: the name is read, looked for on the allowlist and resolved, once. `observe` waives one thing: that a
 * *name* is not listed. An address that is not, a private one, one of the gateway's own, and a name that is none are refused in every mode.
 */
export async function decideConnection(parts: ConnectionParts, call: PipelineCall): Promise<StageResult> {
  const { generation } = parts.allowlist;
  const timeoutMs = call.decided?.leftMs ?? parts.timeoutMs;
  const payload = payloadOf(call, 'net.connect');
  call.connection = askedFacts(payload);
  if (parts.mode === 'off')
    return refuse('not_available', 'this gateway has no proxy: `[egress] mode` is `off`');
  try {
    const wanted = wantedOf(payload);
    call.wanted = wanted;
    const terms = termsOf(parts.allowlist, wanted);
    if (terms === undefined && (parts.mode === 'enforce' || isAddress(wanted))) throw notAllowed(wanted);
    const { allowPrivate, raw } = terms ?? { allowPrivate: false, raw: wanted.protocol !== 'http' };
    call.connection = { ...call.connection, listed: terms !== undefined, raw };
    await settle(parts, call, wanted, { allowPrivate, generation, timeoutMs });
    return 'pass';
  } catch (error) {
    if (!isSublError(error)) throw error;
    const address = error.details?.['address'];
    if (typeof address === 'string') call.connection = { ...call.connection, address };
    return refuseFor(error);
  }
}

function wantedOf({ via, host, port }: { via: string; host: string; port: number }): Destination {
  // The parser of URLs would decode it, and the client's own does not.
  if (host.includes('%'))
    throw new SublError('invalid_request', 'the host cannot be used: it has a percent sign');
  return destinationFor(via === 'http' ? 'http' : 'tcp', host, port);
}

function isAddress({ host }: Destination): boolean {
  const reading = readHost(host);
  return !reading.ok || reading.kind !== 'name';
}

function notAllowed({ host, port }: Destination): SublError {
  return new SublError('not_allowed', `\`${host}:${port}\` is not on the allowlist`);
}
