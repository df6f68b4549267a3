import type { StreamAnswer } from '@subluminal/egress';
import { type Core, type Refused } from '@subluminal/agent';
import { InFlight, type Outbox, type SessionLimits, Traffic, TrafficState } from '@subluminal/mcp';
import type { Ask } from './client/ask.js';
import type { ServerLink } from './server/server-link.js';

/** Answers of our own that may be on their way to a server at once. */
const MAX_SAYING = 16;

/** What a channel tells of one of its requests that goes on. */
export interface OpenExchange {
  /** Ends it now. */
  abort(): void;
}

export interface ChannelParts {
  readonly link: ServerLink;
  readonly core: Core;
  readonly limits: SessionLimits;
  readonly monotonic: () => number;
  /** The run is over. */
  readonly onRunOver: (refused: Refused) => void;
}

/**
 * The traffic between one client and one server that belongs together: a session (until revision 2025-11-25),
 * or all that a run says to a server without one. Requests that wait for answers are those of a session;
 * without one each POST has its own, since nothing tells apart two clients that count from zero.
 */
export class Channel {
  readonly link: ServerLink;
  readonly limits: SessionLimits;
  readonly #parts: ChannelParts;
  readonly #state: TrafficState;
  readonly #asked: InFlight;
  readonly #flights: InFlight;
  readonly exchanges = new Set<OpenExchange>();
  /** The id that the server gave; undefined without a session. */
  sessionId: string | undefined;
  /** What a message of our own goes out with: the header of the client's last request. */
  #lastHeaders: Ask['forward'] = [];
  #saying = 0;
  usedAt: number;
  ended = false;

  constructor(parts: ChannelParts) {
    this.#parts = parts;
    this.link = parts.link;
    this.limits = parts.limits;
    this.#state = new TrafficState(parts.monotonic);
    this.#asked = new InFlight(parts.limits.maxAsked);
    this.#flights = new InFlight(parts.limits.maxInFlight);
    this.usedAt = parts.monotonic();
  }

  /** A request of the client goes on here. */
  begin(exchange: OpenExchange, ask: Ask): void {
    this.exchanges.add(exchange);
    this.usedAt = this.#parts.monotonic();
    this.#lastHeaders = ask.forward;
  }

  /** It has ended. */
  finish(exchange: OpenExchange): void {
    this.exchanges.delete(exchange);
    this.usedAt = this.#parts.monotonic();
  }

  /** The requests of the client that wait, for one of its POSTs. */
  flightsOfPost(isSession: boolean): InFlight {
    return isSession ? this.#flights : new InFlight(1);
  }

  /** Judges by these lanes. */
  traffic(lanes: { readonly to_server: Outbox; readonly to_client: Outbox }, waiting: InFlight): Traffic {
    const { core, limits, monotonic, onRunOver, link } = this.#parts;
    return new Traffic(
      {
        core,
        serverName: link.serverName,
        transport: 'mcp_http',
        lanes,
        flights: { to_server: waiting, to_client: this.#asked },
        maxInspectBytes: limits.maxInspectBytes,
        monotonic,
        onRunOver,
      },
      this.#state,
    );
  }

  /** What waits in the session, for streams that belong to no POST. */
  get waiting(): InFlight {
    return this.#flights;
  }

  /** A message of our own to the server; nobody waits for what it says to it. */
  readonly toServer: Outbox = {
    reserve: () => ({
      send: (payload) => {
        if (Buffer.isBuffer(payload))
          this.#say(payload.subarray(0, payload.at(-1) === 0x0a ? -1 : undefined));
        else payload.close();
      },
      drop: () => undefined,
    }),
  };

  /** It is over: what is under way is cut off, and calls that were not answered end as transport errors. */
  end(): void {
    if (this.ended) return;
    this.ended = true;
    for (const exchange of this.exchanges) exchange.abort();
    const traffic = this.traffic({ to_server: this.toServer, to_client: this.toServer }, this.#flights);
    traffic.endFlights([this.#flights, this.#asked]);
  }

  #say(body: Buffer): void {
    if (this.ended || this.#saying >= MAX_SAYING) return;
    this.#saying += 1;
    const kept = this.#lastHeaders.filter(([name]) => !OWN.has(name));
    const session = this.sessionId === undefined ? [] : [['mcp-session-id', this.sessionId] as const];
    const headers = [
      ...kept,
      ...session,
      ['content-type', 'application/json'] as const,
      ['accept', 'application/json, text/event-stream'] as const,
    ];
    this.link.server
      .send({ method: 'POST', headers, body }, AbortSignal.timeout(SAY_MS))
      .then(
        (answer: StreamAnswer) => answer.close(),
        // The server asked for what it may not have; that it does not hear so changes nothing of that.
        () => undefined,
      )
      .finally(() => {
        this.#saying -= 1;
      });
  }
}

const SAY_MS = 10_000;
/** What a message of our own says anew. */
const OWN: ReadonlySet<string> = new Set([
  'accept',
  'content-type',
  'last-event-id',
  'mcp-method',
  'mcp-name',
  'mcp-session-id',
]);
