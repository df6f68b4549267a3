import type { JsonObject, NetEndPayload } from '@subluminal/core-types';
import type { Connected } from '@subluminal/gateway';
import type { Carried, CarriageEnd } from './carry/carriage.js';
import type { Denial } from './denial.js';
import type { Inspected } from './inspect/injector.js';
import type { InjectTally } from './inspect/inspection.js';
import type { NetAsk } from './net-ask.js';

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
  readonly decision: Connected;
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
    decision: Connected,
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
