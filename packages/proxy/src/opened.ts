import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type NetEndPayload,
  type NetVia,
} from '@subluminal/core-types';
import type { Carried, CarriageEnd } from './carriage.js';
import type { Denial } from './denial.js';
import type { Inspected } from './inspect/injector.js';
import type { InjectTally } from './inspect/inspection.js';

/** A connection that a client asks for. */
export interface NetAsk {
  readonly serverName: string | undefined;
  readonly via: NetVia;
  /** As the client wrote it. */
  readonly host: string;
  readonly port: number;
}

/** What the pipeline has decided of it. */
export interface NetDecision {
  readonly seq: number;
  readonly addresses: readonly string[];
  readonly allowPrivate: boolean;
  readonly generation: number;
  readonly tls: boolean;
  readonly plain: boolean;
  readonly raw: boolean;
  readonly listed: boolean;
  /** Secrets may be put in on it. */
  readonly inspected: boolean;
}

/** Reads the answer to `net.connect`; undefined where it does not say what may be dialled. */
export function readDecision(data: JsonValue | undefined): NetDecision | undefined {
  if (data === undefined || data === null || !isJsonObject(data)) return undefined;
  const {
    seq,
    addresses,
    allow_private: allowPrivate,
    generation,
    tls,
    plain,
    raw,
    listed,
    inspected,
  } = data;
  const texts = Array.isArray(addresses) ? addresses.filter((one) => typeof one === 'string') : [];
  if (typeof seq !== 'number' || typeof generation !== 'number' || texts.length === 0) return undefined;
  if (typeof allowPrivate !== 'boolean' || typeof raw !== 'boolean' || typeof listed !== 'boolean')
    return undefined;
  if (typeof inspected !== 'boolean' || typeof tls !== 'boolean' || typeof plain !== 'boolean')
    return undefined;
  return { seq, addresses: texts, allowPrivate, generation, tls, plain, raw, listed, inspected };
}

/** The payload of a `net.end`. */
export type EndPayload = NetEndPayload & JsonObject;

/** What became of a connection, for the record. */
export interface NetReport extends CarriageEnd {
  readonly sni?: string;
  /** The handshake has an encrypted part. */
  readonly ech?: boolean;
  /** Of a connection on which secrets may be put in. */
  readonly tally?: InjectTally;
  readonly address?: string;
  readonly bytesUp: number;
  readonly bytesDown: number;
}

/** A connection that was decided on and is in the record as pending: it ends once, whatever happens. */
export class Opened {
  readonly ask: NetAsk;
  readonly decision: NetDecision;
  readonly #report: (payload: EndPayload) => void;
  readonly #monotonic: () => number;
  readonly #startedAt: number;
  readonly #caller = new AbortController();
  #carriage: Carried | undefined;
  #isEnded = false;
  /** The allowlist under which it was allowed last. */
  generation: number;
  /** What is put in on it, and of which variables. */
  inspected: readonly [Inspected, readonly string[]] | undefined;

  constructor(
    ask: NetAsk,
    decision: NetDecision,
    report: (payload: EndPayload) => void,
    monotonic: () => number,
  ) {
    this.ask = ask;
    this.decision = decision;
    this.generation = decision.generation;
    this.#report = report;
    this.#monotonic = monotonic;
    this.#startedAt = monotonic();
  }

  /** Aborted where it is given up before anything flows; the reason is the `Denial`. */
  get signal(): AbortSignal {
    return this.#caller.signal;
  }

  get movedAt(): number {
    return this.#carriage?.movedAt ?? this.#startedAt;
  }

  /** Bytes flow from here on. */
  carries(carriage: Carried): void {
    this.#carriage = carriage;
  }

  /** Gives it up, as far as it has come. */
  cut(outcome: 'cut' | 'timed_out', denial: Denial): void {
    this.#caller.abort(denial);
    this.#carriage?.cut({ outcome, code: denial.code, detail: denial.message });
  }

  /** Puts its end into the record; the first one stands. */
  end({ outcome, code, detail, sni, ech, tally, address, bytesUp, bytesDown }: NetReport): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#report({
      pending_seq: this.decision.seq,
      outcome,
      ...(code === undefined ? {} : { code }),
      ...(detail === undefined ? {} : { detail: printable(detail, 300) }),
      ...(sni === undefined ? {} : { sni: printable(sni, 255) }),
      ...(ech === true ? { ech } : {}),
      ...(tally === undefined ? {} : { requests: tally.requests, injected: [...tally.injected] }),
      ...(address === undefined ? {} : { address }),
      bytes_up: bytesUp,
      bytes_down: bytesDown,
      ms: Math.max(0, Math.round(this.#monotonic() - this.#startedAt)),
    });
  }
}

/** As it can be shown: names come from the handshake of a client. */
function printable(text: string, max: number): string {
  return text.replaceAll(/[^\x20-\x7e]/g, '?').slice(0, max);
}
