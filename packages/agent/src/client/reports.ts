import { type ActionResponse, isJsonObject, isSublError, type SublError } from '@subluminal/core-types';
import type { GatewaySession, SessionWatcher } from './gateway-session.js';

/** Reports that are kept until they are answered; more of them are counted and not sent. */
export const MAX_REPORTS = 2048;
/**
 * Reports that are on their way at once: a gateway that is back is not asked for more than it takes of a run.
 */
const WINDOW = 256;

/** Something that the gateway is told, and that it only takes note of. */
interface Report {
  /** Single-use in the run: under it a gateway that has it already says so, and records nothing again. */
  readonly id: string;
  readonly action: string;
  readonly payload: unknown;
  /** It was sent before under another id, and may have arrived. */
  readonly isAgain: boolean;
  readonly onDone: () => void;
  /** The connection that it was sent on last. */
  round: number;
}

export interface ReportsOptions {
  readonly session: Pick<GatewaySession, 'isConnected' | 'request' | 'watch' | 'unwatch'>;
  readonly nextId: () => string;
  readonly onIdle: () => void;
  readonly onLost: (why: string) => void;
}

/**
 * Reports to the gateway that nobody waits for, in their order, until it has answered: what a lost connection
 * leaves unanswered is sent again on the next one, before anything else, under the same id. Bounded; what is
 * refused, or finds no room, is lost, and counted.
 */
export class Reports implements SessionWatcher {
  readonly #options: ReportsOptions;
  /** In the order in which they were made. */
  readonly #kept = new Set<Report>();
  #round = 0;
  #sent = 0;

  constructor(options: ReportsOptions) {
    this.#options = options;
  }

  /** How many are not answered. */
  get size(): number {
    return this.#kept.size;
  }

  /**
   * Reports it as soon as may be. `isAgain`: it travelled with something else before, and may have arrived.
   */
  add(action: string, payload: unknown, { isAgain = false, onDone = (): void => undefined } = {}): void {
    if (this.#kept.size >= MAX_REPORTS) {
      this.#options.onLost('too much is to be reported');
      onDone();
      return;
    }
    const { session, nextId } = this.#options;
    const report = { id: nextId(), action, payload, isAgain, onDone, round: -1 };
    this.#kept.add(report);
    if (this.#kept.size === 1) session.watch(this);
    // Behind those that wait for a place.
    if (this.#sent === this.#kept.size - 1) this.#send(report);
  }

  /** There is another connection: what was sent on the one before has no answer to wait for. */
  connected(): void {
    this.#round += 1;
    this.#sent = 0;
    this.#sendMore();
  }

  /** The run is over: nothing takes them any more. */
  over(reason: SublError): void {
    for (const report of this.#kept) this.#lose(report, reason.message);
  }

  #sendMore(): void {
    for (const report of this.#kept) {
      if (this.#sent >= WINDOW || !this.#options.session.isConnected) return;
      if (report.round !== this.#round) this.#send(report);
    }
  }

  #send(report: Report): void {
    const { session } = this.#options;
    if (this.#sent >= WINDOW || !session.isConnected) return;
    const round = this.#round;
    report.round = round;
    this.#sent += 1;
    session.request(report.action, report.payload, false, { id: report.id }).then(
      (answer) => {
        this.#settle(report, round, isTaken(answer, report) ? undefined : reasonOf(answer));
      },
      (error: unknown) => {
        if (!isSublError(error)) throw error;
        // It is sent again on the next connection, or has been.
        if (error.code !== 'gateway_unreachable') this.#settle(report, round, error.message);
      },
    );
  }

  #settle(report: Report, round: number, lost: string | undefined): void {
    if (round === this.#round) this.#sent -= 1;
    if (lost === undefined) this.#done(report);
    else this.#lose(report, lost);
    this.#sendMore();
  }

  #lose(report: Report, why: string): void {
    if (this.#kept.has(report)) this.#options.onLost(why);
    this.#done(report);
  }

  #done(report: Report): void {
    if (!this.#kept.delete(report)) return;
    report.onDone();
    if (this.#kept.size > 0) return;
    this.#options.session.unwatch(this);
    this.#options.onIdle();
  }
}

/** Whether the gateway has it, now or from before. */
function isTaken({ status, error }: ActionResponse, { isAgain }: Report): boolean {
  if (status === 'success') return true;
  const details = error?.details;
  if (isJsonObject(details) && typeof details['recorded'] === 'string') return true;
  return isAgain && error?.code === 'not_found';
}

function reasonOf({ status, error }: ActionResponse): string {
  return error?.message ?? status;
}
