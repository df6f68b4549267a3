import type { DropReason } from '@subluminal/core-types';
import type {
  CallEnd,
  Core,
  ListedPage,
  ListVerdict,
  CallTransport,
  Refused,
  ToolCall,
  Verdict,
} from '@subluminal/agent';
import type { MessageId, Params, Refusal } from '../message/message.js';
import { AfterTurn } from './after-turn.js';
import { callContextOf } from './call-context.js';
import { Continuations } from './continuations.js';
import { asCancelled, endWithout } from './call-end.js';
import { effectOf } from './classify.js';
import { brokenAnswer, invalidAnswer } from './error-answer.js';
import type { Flight, InFlight } from './in-flight.js';
import type { Outbox, Payload, Place } from './outbox.js';
import { Pacer } from './pacer.js';
import { clientHashOf, INITIALIZE } from './tool-list.js';

/**
 * How often a server may have something decided, in a second and after a rest. Each decision becomes entries
 * of the ledger: without a bound a server could fill the disk with notifications. A server that asks more
 * often is read more slowly.
 */
const SERVER_PACE = { perSecond: 100, burst: 1000 };
/** The bytes of a list of tools that count as one decision. */
const TURN_BYTES = 4096;

/** Which way a message travels. */
export type Direction = 'to_server' | 'to_client';

/** Where the answers to the messages of a direction travel. */
export const OPPOSITE: Readonly<Record<Direction, Direction>> = {
  to_server: 'to_client',
  to_client: 'to_server',
};

/** A message that passed the judge, with the bytes that were judged. */
export interface Arrival {
  readonly direction: Direction;
  readonly payload: Payload;
  readonly bytes: number;
  /** Names the content where it was not inspected. */
  readonly streamHash: string | undefined;
}

export interface TrafficOptions {
  readonly core: Core;
  readonly serverName: string;
  readonly transport: CallTransport;
  readonly lanes: Readonly<Record<Direction, Outbox>>;
  /** Requests that travel in a direction and wait for an answer in the other. */
  readonly flights: Readonly<Record<Direction, InFlight>>;
  /** A message of more bytes is not inspected. */
  readonly maxInspectBytes: number;
  readonly monotonic: () => number;
  /** The run is over: the refusal has been answered, nothing more will be allowed. */
  readonly onRunOver: (refused: Refused) => void;
}

/** The state that all streams of one session share. */
export class TrafficState {
  readonly pacer: Pacer;
  readonly afterTurn = new AfterTurn();
  readonly continuations = new Continuations();
  /** How often the server has announced that its list of tools changed. */
  listEpoch = 0;
  /** The hash of what the client said at the beginning that it can do. */
  clientHash: string | undefined;

  constructor(monotonic: () => number) {
    this.pacer = new Pacer({ ...SERVER_PACE, monotonic });
  }
}

/**
 * The state that the handlers of requests and of answers share: the lanes, what is in flight, the core, and
 * how to refuse.
 */
export class Traffic {
  readonly core: Core;
  readonly flights: Readonly<Record<Direction, InFlight>>;
  readonly onRunOver: (refused: Refused) => void;
  readonly #options: TrafficOptions;
  readonly #state: TrafficState;

  constructor(options: TrafficOptions, state = new TrafficState(options.monotonic)) {
    this.core = options.core;
    this.flights = options.flights;
    this.onRunOver = options.onRunOver;
    this.#options = options;
    this.#state = state;
  }

  /** How often the server has announced that its list of tools changed. */
  get listEpoch(): number {
    return this.#state.listEpoch;
  }

  /** The server has announced it once more. */
  countListChange(): void {
    this.#state.listEpoch += 1;
  }

  /**
   * Hears what the client says in a request that it can do. Gives the hash of that, or of what it said at the
   * beginning where it says nothing.
   */
  hearClient(method: string, params: Params): string | undefined {
    const said = clientHashOf(method, params);
    if (method === INITIALIZE) this.#state.clientHash = said;
    return said ?? this.#state.clientHash;
  }

  /** Which calls go on with others. */
  get continuations(): Continuations {
    return this.#state.continuations;
  }

  /** A message of more bytes is not inspected. */
  get maxInspectBytes(): number {
    return this.#options.maxInspectBytes;
  }

  /** Now, in milliseconds of a clock that only goes forward. */
  now(): number {
    return this.#options.monotonic();
  }

  /** Whole milliseconds since `start`; 0 when it is not known. */
  since(start: number | undefined): number {
    return start === undefined ? 0 : Math.max(0, Math.round(this.now() - start));
  }

  /** Asks the core; never rejects. A question of a server waits for its turn. */
  decide(call: ToolCall, direction: Direction): Promise<Verdict> {
    if (direction === 'to_server') return this.core.decide(call);
    return this.#state.pacer.turn().then(() => this.core.decide(call));
  }

  /** Asks what of a list of tools the client may see; never rejects. A long list counts for several turns. */
  listed(page: ListedPage, bytes: number): Promise<ListVerdict> {
    return this.#state.pacer.turn(Math.ceil(bytes / TURN_BYTES)).then(() => this.core.listed(page));
  }

  /** The next place in the lane that the message travels in. */
  reserve(arrival: Arrival): Place {
    const { length } = arrival.payload;
    const spooled = !Buffer.isBuffer(arrival.payload);
    const room = { held: spooled ? 0 : length, spooled: spooled ? length : 0, own: false };
    return this.#options.lanes[arrival.direction].reserve(room, arrival.payload);
  }

  /** Sends a message of our own in a direction. */
  send(direction: Direction, bytes: Buffer): void {
    this.#options.lanes[direction].reserve({ held: bytes.length, spooled: 0, own: true }).send(bytes);
  }

  /** The core's question on a message; a text says why it cannot be judged. */
  callOf(method: string, params: Params, arrival: Arrival): ToolCall | string {
    const { bytes, streamHash = '' } = arrival;
    const effect = effectOf(method, params, () => ({ bytes, streamHash }));
    if (typeof effect === 'string') return effect;
    return {
      server_name: this.#options.serverName,
      tool_name: effect.toolName,
      args: effect.args,
      bytes_in: bytes,
      transport: this.#options.transport,
      call_context: callContextOf(params),
    };
  }

  /** The sender is told where it can be told; the gateway records it; the session goes on. */
  refuse(refusal: Refusal, arrival: Arrival): void {
    const { direction, bytes, streamHash } = arrival;
    const { reason, method, text } = refusal;
    discard(arrival);
    this.core.dropped({ direction, reason, bytes, method, streamHash });
    for (const id of refusal.ids) this.send(OPPOSITE[direction], invalidAnswer(id, text));
    for (const id of refusal.answers) this.#replaceAnswer(id, arrival, text);
  }

  /** Reports the end of a flight that was a call, once. */
  endFlight(flight: Flight, end: CallEnd): void {
    const { callId, ended } = flight;
    if (callId === undefined || ended) return;
    flight.ended = true;
    this.core.end(callId, flight.cancelled ? asCancelled(end) : end);
  }

  /** Reports an end that takes work to tell, once: the answer leaves first. */
  endLater(flight: Flight, end: () => CallEnd): void {
    const { callId, cancelled, ended } = flight;
    if (callId === undefined || ended) return;
    flight.ended = true;
    this.#state.afterTurn.add(() => this.core.end(callId, cancelled ? asCancelled(end()) : end()));
  }

  /** The session is over: calls that were not answered end as transport errors. */
  endFlights(waiting: readonly InFlight[]): void {
    this.reportEnds();
    for (const flight of waiting.flatMap((flights) => flights.clear())) {
      // One that is still being decided ends as soon as it is: it goes nowhere any more.
      if (flight.callId === undefined) flight.cancelled = true;
      const text = 'the session ended before an answer came';
      this.endFlight(flight, endWithout('ERROR', this.since(flight.sentAt), 'transport', text));
    }
  }

  /** Reports the ends that were put off. */
  reportEnds(): void {
    this.#state.afterTurn.run();
  }

  /** An answer goes no further, and its place takes what the sender is told instead. */
  replace(
    place: Place,
    id: MessageId,
    arrival: Arrival,
    why: string,
    reason: DropReason = 'wrong_type',
  ): void {
    const { direction, bytes, streamHash } = arrival;
    discard(arrival);
    this.core.dropped({ direction, reason, bytes, method: undefined, streamHash });
    place.send(brokenAnswer(id, why));
  }

  /** An answer that cannot be passed on still ends the request that waits for it. */
  #replaceAnswer(id: MessageId, arrival: Arrival, why: string): void {
    const flight = this.flights[OPPOSITE[arrival.direction]].answer(id);
    if (typeof flight === 'string' || flight.gaveUp) return;
    this.send(arrival.direction, brokenAnswer(id, why));
    const end = endWithout(
      'ERROR',
      this.since(flight.sentAt),
      'transport',
      `the answer was not forwarded: ${why}`,
    );
    this.endFlight(flight, { ...end, bytes_out: arrival.bytes });
  }
}

/** Gives back the room of a message that goes nowhere. */
export function discard(arrival: Arrival): void {
  if (!Buffer.isBuffer(arrival.payload)) arrival.payload.close();
}
