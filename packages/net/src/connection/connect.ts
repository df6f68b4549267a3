import { isSublError, SublError, type GatewayConfig, type NetConnectPayload } from '@subluminal/core-types';
import { type Destination, destinationFor, type Leave } from '@subluminal/egress';
import type { EntryInput } from '@subluminal/ledger';
import {
  type ActionOf,
  type AnomalyFlag,
  type Call,
  type Clock,
  type Connected,
  type Detector,
  type Executed,
  type HoldParts,
  type Passed,
  type Placeholders,
  REACHES_NOTHING,
  type RecordedSteps,
  type Refusal,
  type SettleParts,
  type Settled,
  anomalyEntry,
  decidedData,
  pendingEntry,
  refuse,
  refuseFor,
  settle,
  shownOrigin,
  stillHolds,
  success,
} from '@subluminal/gateway';
import type { Allowlist } from '../allowlist/allowlist.js';
import { admitConnection } from './admit.js';
import {
  type ConnectionFacts,
  type ConnectionVerdict,
  addressFacts,
  askedFacts,
  factsData,
  verdictFacts,
} from './facts.js';
import type { RunTraffic } from './run-traffic.js';
import { type Terms, termsOf } from './terms.js';
import { type OpenWorlds, termsOfWorld, worldGone } from '../world-terms.js';

export interface ConnectParts extends SettleParts, HoldParts {
  readonly allowlist: Pick<Allowlist, 'find' | 'names' | 'generation'>;
  readonly worlds: OpenWorlds;
  /** The secrets that may be put in on a connection. */
  readonly placeholders: Pick<Placeholders, 'at'>;
  readonly egress: () => Pick<GatewayConfig['egress'], 'mode' | 'timeout_ms'>;
  readonly detector: Pick<Detector, 'inspectConnection' | 'confirm'>;
  readonly traffic: Pick<RunTraffic, 'begin' | 'begun' | 'open' | 'bytesLeft'>;
  readonly clock: Clock;
}

/**
 * `net.connect`: a connection of a run through the proxy. Its name is read, looked for on the allowlist and
 * resolved, once. `observe` waives that no entry lets it through, as far as it leads to a public address or
 * one inside of this machine's networks. Metadata services, addresses that lead to no host, the gateway's own
 * doors, and a name that is none are refused in every mode. A connection is never held for an approval: its
 * opener cannot wait for anybody.
 */
export function netConnect(parts: ConnectParts): ActionOf<'net.connect'> {
  return (call, payload) => new Connect(parts, call, payload);
}

class Connect implements RecordedSteps {
  readonly whenStopped = 'refused';
  readonly whenFull = 'refused';
  readonly result = 'later';
  /**
   * Looking a name up carries it out: whoever may have no more connections is refused before that, in
   * stage 3.
   */
  readonly admit = REACHES_NOTHING.admit;
  readonly concluded = REACHES_NOTHING.concluded;
  readonly #parts: ConnectParts;
  readonly #call: Call;
  readonly #payload: NetConnectPayload;
  #facts: ConnectionFacts;
  #wanted: Destination | undefined;
  #decided: Settled | undefined;
  #countedMs: number;

  constructor(parts: ConnectParts, call: Call, payload: NetConnectPayload) {
    this.#parts = parts;
    this.#call = call;
    this.#payload = payload;
    this.#facts = askedFacts(payload);
    this.#countedMs = call.now;
  }

  async decide(): Promise<Passed | Refusal> {
    this.#facts = askedFacts(this.#payload);
    if (this.#parts.egress().mode === 'off')
      return refuse('not_available', 'this gateway has no proxy: `[egress] mode` is `off`');
    try {
      return await this.#decide(wantedOf(this.#payload));
    } catch (error) {
      if (!isSublError(error)) throw error;
      const { address, verdict } = error.details ?? {};
      if (typeof address === 'string')
        this.#facts = { ...this.#facts, address, verdict: verdict as ConnectionVerdict };
      return refuseFor(error);
    }
  }

  unusual(): readonly AnomalyFlag[] {
    const destination = this.#decided?.destination;
    return destination === undefined
      ? []
      : this.#parts.detector.inspectConnection(this.#call.run, destination);
  }

  readonly record = (): readonly EntryInput[] => [
    ...this.#call.flags.map((flag) => anomalyEntry(this.#call, flag)),
    pendingEntry(this.#call, this.#countedMs, {
      ...decidedData(this.#decided),
      facts: factsData(this.#facts),
    }),
  ];

  recorded(): void {
    const { pendingSeq: seq, auditRef: ref, flags, run } = this.#call;
    if (seq === undefined) return;
    const destination = this.#decided?.destination;
    this.#parts.detector.confirm({
      run,
      destination,
      flags,
      connection: { seq, ref, listed: this.#facts.listed },
    });
  }

  execute(): Executed {
    const decided = this.#decided;
    if (!stillHolds(this.#parts, decided)) return 'again';
    const { pendingSeq: seq, run } = this.#call;
    if (decided === undefined || seq === undefined) throw new Error('a connection passed without a decision');
    const { traffic } = this.#parts;
    traffic.open(run.id, seq);
    const { host, port, addresses, allowPrivate } = decided.destination;
    const { tls, plain, raw, listed, injects } = this.#facts;
    const connected: Connected = {
      seq,
      host,
      port,
      addresses,
      allow_private: allowPrivate,
      generation: decided.generation,
      tls,
      plain,
      raw,
      listed,
      inspected: injects.length > 0,
      bytes_left: traffic.bytesLeft(run.id),
    };
    return success(connected);
  }

  get place(): string | undefined {
    return this.#decided?.destination.origin;
  }

  about(): { facts: ReturnType<typeof factsData> } {
    const destination = this.#wanted === undefined ? {} : { destination: shownOrigin(this.#wanted) };
    return { ...destination, facts: factsData(this.#facts) };
  }

  async #decide(wanted: Destination): Promise<Passed | Refusal> {
    const parts = this.#parts;
    const call = this.#call;
    const { generation } = parts.allowlist;
    const { mode, timeout_ms: wholeMs } = parts.egress();
    const before = call.pendingSeq === undefined ? undefined : this.#decided;
    this.#wanted = wanted;
    this.#facts = { ...this.#facts, ...addressFacts(wanted) };
    this.#checkWorld(wanted);
    const terms = termsOf(parts.allowlist, wanted);
    const isWatched = mode === 'observe';
    if (terms === undefined && !isWatched) throw notAllowed(wanted);
    const { allowPrivate, tls, plain, raw } = terms ?? unlisted(wanted);
    const injects = this.#injects(wanted);
    if (injects.length > 0 && terms?.tls !== true) throw notListedForSecrets(wanted);
    const isOpen = injects.length === 0;
    this.#facts = {
      ...this.#facts,
      listed: terms !== undefined,
      tls,
      plain: plain && isOpen,
      raw: raw && isOpen,
      injects,
    };
    if (before === undefined) {
      const refused = admitConnection(parts.traffic, call);
      if (refused !== undefined) return refused;
      this.#countedMs = parts.clock();
    }
    // Where a secret goes, its entry alone says.
    const leave: Leave = isWatched && !allowPrivate && isOpen ? 'inside' : allowPrivate;
    const timeoutMs = this.#decided?.leftMs ?? wholeMs;
    const settled = await settle(parts, call, generation, { wanted, allowPrivate: leave, timeoutMs, before });
    this.#decided = settled;
    const { destination } = settled;
    this.#facts = {
      ...this.#facts,
      ...verdictFacts(destination.addresses),
      listed: terms !== undefined && destination.allowPrivate === allowPrivate,
    };
    return 'pass';
  }

  /** Throws where the settings of its world do not have it: they narrow what the allowlist says. */
  #checkWorld({ host }: Destination): void {
    const terms = termsOfWorld(this.#parts.worlds, this.#call.run.id, this.#payload);
    if (terms === undefined) return;
    if (terms === 'gone') throw worldGone();
    const { profile } = terms;
    this.#facts = { ...this.#facts, ...(profile === undefined ? {} : { profile }) };
    const refusal = terms.refusal(host);
    if (refusal !== undefined) throw refusal;
  }

  /** The secrets that may be put in: of a server, over TLS. Throws as `Placeholders.at`. */
  #injects({ host, port }: Destination): ConnectionFacts['injects'] {
    const { via, server_name: serverName } = this.#payload;
    if (via === 'http' || serverName === undefined) return [];
    return this.#parts.placeholders
      .at(this.#call.run.id, serverName, host, port)
      .map(({ injectAs, secretRef }) => ({ injectAs, secretRef }));
  }
}

/** The terms of a name that nobody has listed, where such names pass. */
function unlisted({ protocol }: Destination): Terms {
  const isTunnel = protocol !== 'http';
  return { allowPrivate: false, tls: isTunnel, plain: true, raw: isTunnel };
}

function wantedOf({ via, host, port }: NetConnectPayload): Destination {
  // The parser of URLs would decode it, and the client's own does not.
  if (host.includes('%'))
    throw new SublError('invalid_request', 'the host cannot be used: it has a percent sign');
  return destinationFor(via === 'http' ? 'http' : 'tcp', host, port);
}

function notListedForSecrets({ host, port }: Destination): SublError {
  return new SublError(
    'not_allowed',
    `\`${host}:${port}\` gets a secret of this server, and is not on the allowlist: secrets go to listed places only, whatever the mode is`,
  );
}

function notAllowed({ host, port }: Destination): SublError {
  return new SublError('not_allowed', `\`${host}:${port}\` is not on the allowlist`);
}
