import type { MessageId } from '../message/message.js';
import type { MadeCall } from './continuations.js';
import type { ListRequest } from './tool-list.js';

/** Requests that were cancelled or given up, and may still be answered; the oldest is forgotten first. */
const MAX_ABANDONED = 1024;
/** Answered ids that are remembered, only to tell a second answer from one that nobody asked for. */
const MAX_ANSWERED = 256;

/** A request between its arrival and its answer. */
export interface Flight {
  readonly id: MessageId;
  readonly method: string;
  /** The gateway's name for it, once it was allowed. */
  callId: string | undefined;
  /** The tool and its arguments, where it is the call of a tool. */
  made?: MadeCall;
  /** When it left for the other side, in milliseconds of a monotonic clock; undefined until then. */
  sentAt: number | undefined;
  cancelled: boolean;
  /** Its end has been reported, or is about to be. */
  ended: boolean;
  /**
   * It was answered in the server's place, or cancelled, and nothing is waited for any more. Its id stays
   * taken until the server answers it.
   */
  gaveUp: boolean;
  /** Gives it up when its time is over. */
  timer: NodeJS.Timeout | undefined;
  /** Told when it is given up, behind its answer; true where its server hears of it by that. */
  onGivenUp?: () => boolean;
  /** The parameters of a request for a list of tools. */
  list?: ListRequest;
}

/** The requests of one direction that wait for their answers. */
export class InFlight {
  readonly #max: number;
  readonly #flights = new Map<string, Flight>();
  readonly #abandoned = new Set<string>();
  readonly #answered = new Set<string>();

  constructor(max: number) {
    this.#max = max;
  }

  /** Takes a request in; `duplicate` if its id is in flight, `full` if there are too many. */
  add(id: MessageId, method: string): Flight | 'duplicate' | 'full' {
    if (this.#flights.has(id.key)) return 'duplicate';
    if (this.#flights.size >= this.#max) return 'full';
    const flight: Flight = {
      id,
      method,
      callId: undefined,
      sentAt: undefined,
      cancelled: false,
      ended: false,
      gaveUp: false,
      timer: undefined,
    };
    this.#flights.set(id.key, flight);
    return flight;
  }

  /**
   * The request that an answer belongs to, which is then over; a request that was not sent cannot be
   * answered.
   */
  answer(id: MessageId): Flight | 'duplicate_answer' | 'unsolicited_answer' {
    const flight = this.#flights.get(id.key);
    if (flight?.sentAt === undefined) {
      return flight === undefined && this.#answered.has(id.key) ? 'duplicate_answer' : 'unsolicited_answer';
    }
    this.remove(id);
    this.#answered.add(id.key);
    if (this.#answered.size > MAX_ANSWERED) trim(this.#answered, MAX_ANSWERED);
    return flight;
  }

  /** The request with that id, while it waits. */
  waiting(id: MessageId): Flight | undefined {
    return this.#flights.get(id.key);
  }

  /**
   * Marks a request as given up by its sender. It stays answerable, because answer and cancellation may
   * cross.
   */
  cancel(id: MessageId): Flight | undefined {
    const flight = this.#flights.get(id.key);
    if (flight === undefined || flight.cancelled || flight.gaveUp) return undefined;
    flight.cancelled = true;
    this.#forgetLater(flight);
    return flight;
  }

  /**
   * Marks a request as given up by us: it has been answered, and what its server still says of it goes
   * nowhere. False where it is over, or given up by its sender.
   */
  giveUp(flight: Flight): boolean {
    if (this.#flights.get(flight.id.key) !== flight || flight.cancelled || flight.gaveUp) return false;
    flight.gaveUp = true;
    this.#forgetLater(flight);
    return true;
  }

  /** It may never be answered: only so many of its kind are kept. */
  #forgetLater(flight: Flight): void {
    clearTimeout(flight.timer);
    this.#abandoned.add(flight.id.key);
    for (const key of trim(this.#abandoned, MAX_ABANDONED)) this.#flights.delete(key);
  }

  remove(id: MessageId): void {
    clearTimeout(this.#flights.get(id.key)?.timer);
    this.#flights.delete(id.key);
    if (this.#abandoned.size > 0) this.#abandoned.delete(id.key);
  }

  /** Ends all of them and gives them back. */
  clear(): Flight[] {
    const flights = [...this.#flights.values()];
    for (const { timer } of flights) clearTimeout(timer);
    this.#flights.clear();
    this.#abandoned.clear();
    return flights;
  }
}

/** Takes the oldest members out until `max` are left, and gives them. */
function trim(set: Set<string>, max: number): string[] {
  const removed: string[] = [];
  for (const key of set) {
    if (set.size <= max) break;
    set.delete(key);
    removed.push(key);
  }
  return removed;
}
