import { isSublError, SublError, type GatewayConfig } from '@subluminal/core-types';
import {
  addressVerdict,
  type Destination,
  destinationFor,
  hostVerdict,
  type Leave,
} from '@subluminal/egress';
import type { Clock } from '../../base/clock.js';
import type { PipelineCall } from '../../pipeline/call.js';
import { payloadOf } from '../../pipeline/payload.js';
import { refuse, refuseFor } from '../../pipeline/reply.js';
import { settle, type SettleParts } from '../settle.js';
import type { StageResult } from '../../pipeline/stage.js';
import type { Allowlist } from '../../allowlist/allowlist.js';
import type { AnomalyDetector } from '../../anomaly/detector.js';
import type { Placeholders } from '../../secrets/placeholders.js';
import { admitConnection } from './admit.js';
import { askedFacts, type ConnectionFacts, type ConnectionVerdict } from './facts.js';
import type { RunTraffic } from './run-traffic.js';
import { type Terms, termsOf } from './terms.js';

/** What a connection is decided with. */
export interface ConnectionParts extends SettleParts {
  readonly allowlist: Pick<Allowlist, 'find' | 'names' | 'generation'>;
  /** What may be put in on a connection. */
  readonly placeholders: Pick<Placeholders, 'at'>;
  readonly egress: () => Pick<GatewayConfig['egress'], 'mode' | 'timeout_ms'>;
  readonly detector: Pick<AnomalyDetector, 'inspectName'>;
  readonly traffic: Pick<RunTraffic, 'begin' | 'begun'>;
  readonly clock: Clock;
}

/**
 * Stage 3 of `net.connect`: the name is read, looked for on the allowlist and resolved, once. `observe` waives that no entry lets it
 * through, as far as it leads to a public address or one inside of this machine's networks. Metadata services, addresses that lead to
 * no host, the gateway's own doors, and a name that is none are refused in every mode.
 */
export async function decideConnection(parts: ConnectionParts, call: PipelineCall): Promise<StageResult> {
  const { generation } = parts.allowlist;
  const egress = parts.egress();
  const timeoutMs = call.decided?.leftMs ?? egress.timeout_ms;
  const payload = payloadOf(call, 'net.connect');
  call.connection = askedFacts(payload);
  if (egress.mode === 'off')
    return refuse('not_available', 'this gateway has no proxy: `[egress] mode` is `off`');
  try {
    const wanted = wantedOf(payload);
    call.wanted = wanted;
    const { run } = call.caller;
    // Before it is looked up: looking up is what carries it out.
    if (run !== undefined && !call.counted) call.flags = parts.detector.inspectName(run, wanted.host);
    call.connection = { ...call.connection, ...addressFacts(wanted) };
    const terms = termsOf(parts.allowlist, wanted);
    const isWatched = egress.mode === 'observe';
    if (terms === undefined && !isWatched) throw notAllowed(wanted);
    const { allowPrivate, tls, plain, raw } = terms ?? unlisted(wanted);
    const injects = injectsOf(parts, call, payload, wanted);
    if (injects.length > 0 && terms?.tls !== true) throw notListedForSecrets(wanted);
    call.connection = {
      ...call.connection,
      listed: terms !== undefined,
      tls,
      plain: plain && injects.length === 0,
      raw: raw && injects.length === 0,
      injects,
    };
    if (!call.counted) {
      // Looking a name up carries it out: who may have no more connections has no more names looked up.
      const refused = admitConnection(parts.traffic, call);
      if (refused !== undefined) return refused;
      call.countedMs = parts.clock();
    }
    // Where a secret goes, its entry alone says.
    const leave: Leave = isWatched && !allowPrivate && injects.length === 0 ? 'inside' : allowPrivate;
    const led = await settle(parts, call, wanted, { allowPrivate: leave, generation, timeoutMs });
    call.connection = {
      ...call.connection,
      ...verdictFacts(led.addresses),
      listed: terms !== undefined && led.allowPrivate === allowPrivate,
    };
    return 'pass';
  } catch (error) {
    if (!isSublError(error)) throw error;
    const { address, verdict } = error.details ?? {};
    if (typeof address === 'string')
      call.connection = { ...call.connection, address, verdict: verdict as ConnectionVerdict };
    return refuseFor(error);
  }
}

/** What a name may carry that nobody has listed, where such names pass. */
function unlisted({ protocol }: Destination): Terms {
  const isTunnel = protocol !== 'http';
  return { allowPrivate: false, tls: isTunnel, plain: true, raw: isTunnel };
}

function wantedOf({ via, host, port }: { via: string; host: string; port: number }): Destination {
  // The parser of URLs would decode it, and the client's own does not.
  if (host.includes('%'))
    throw new SublError('invalid_request', 'the host cannot be used: it has a percent sign');
  return destinationFor(via === 'http' ? 'http' : 'tcp', host, port);
}

/** The secrets that may be put in: of a server, over TLS. Throws as `Placeholders.at`. */
function injectsOf(
  { placeholders }: ConnectionParts,
  { caller: { run } }: PipelineCall,
  { via, server_name: serverName }: { via: string; server_name?: string | undefined },
  { host, port }: Destination,
): ConnectionFacts['injects'] {
  if (via === 'http' || run === undefined || serverName === undefined) return [];
  return placeholders
    .at(run.id, serverName, host, port)
    .map(({ injectAs, secretRef }) => ({ injectAs, secretRef }));
}

function notListedForSecrets({ host, port }: Destination): SublError {
  return new SublError(
    'not_allowed',
    `\`${host}:${port}\` gets a secret of this server, and is not on the allowlist: secrets go to listed places only, whatever the mode is`,
  );
}

/** Of what the client named, where that is an address. */
function addressFacts({ host }: Destination): Pick<ConnectionFacts, 'isByAddress' | 'verdict'> {
  return hostVerdict(host) === undefined ? {} : { isByAddress: true, ...verdictFacts([host]) };
}

function verdictFacts(addresses: readonly string[]): Pick<ConnectionFacts, 'verdict'> {
  const verdict = addresses.map(addressVerdict).find((one) => one !== 'public');
  return verdict === undefined ? {} : { verdict };
}

function notAllowed({ host, port }: Destination): SublError {
  return new SublError('not_allowed', `\`${host}:${port}\` is not on the allowlist`);
}
