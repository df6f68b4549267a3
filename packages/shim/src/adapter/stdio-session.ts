import type { Readable, Writable } from 'node:stream';
import { StreamHash } from '@subluminal/core-types';
import { type Core, type Refused } from '@subluminal/agent';
import {
  type Arrival,
  type Direction,
  discard,
  EnvelopeReader,
  InFlight,
  Judge,
  Lane,
  LargeMessage,
  type Message,
  type Refusal,
  type SessionLimits,
  takeAnswer,
  takeNotification,
  takeRequest,
  Traffic,
} from '@subluminal/mcp';
import { Gate } from './gate.js';
import { Intake } from './intake.js';

type Side = 'server' | 'client';

/** The lane in which messages travel to a side. */
const TOWARDS: Readonly<Record<Side, Direction>> = { server: 'to_server', client: 'to_client' };

export interface StdioSessionOptions {
  readonly core: Core;
  readonly serverName: string;
  /** The client's side. */
  readonly client: { readonly input: Readable; readonly output: Writable };
  /** The MCP server's side. */
  readonly server: { readonly input: Readable; readonly output: Writable };
  /** A private folder of the home for messages that are too large to be held. */
  readonly spoolFolder: string;
  readonly limits: SessionLimits;
  readonly monotonic: () => number;
  /** The run is over: the refusal has been answered, nothing more will be allowed. */
  readonly onRunOver: (refused: Refused) => void;
}

/**
 * The MCP stdio adapter: what the client and the server write to each other passes through here, line by
 * line, in order, byte for byte, after it was judged and, if it does something, decided. Both directions
 * follow the same rules. ARCHITECTURE.md, "The shim".
 */
export class StdioSession {
  readonly #options: StdioSessionOptions;
  readonly #judge = new Judge();
  readonly #lanes: Readonly<Record<Direction, Lane>>;
  readonly #traffic: Traffic;
  #isOver = false;

  constructor(options: StdioSessionOptions) {
    this.#options = options;
    const { client, server, limits, core, serverName, monotonic, onRunOver } = options;
    const gates = { client: new Gate(client.input), server: new Gate(server.input) };
    this.#lanes = {
      to_server: this.#lane(server.output, gates.client, gates.server),
      to_client: this.#lane(client.output, gates.server, gates.client),
    };
    const flights = {
      to_server: new InFlight(limits.maxInFlight),
      to_client: new InFlight(limits.maxAsked),
    };
    this.#traffic = new Traffic({
      core,
      serverName,
      transport: 'mcp_stdio',
      lanes: this.#lanes,
      flights,
      maxInspectBytes: limits.maxInspectBytes,
      monotonic,
      onRunOver,
    });
    this.#read('to_server', client.input);
    this.#read('to_client', server.input);
  }

  /**
   * Resolves when everything that came for that side has been decided and handed over, or that side is gone.
   */
  delivered(side: Side): Promise<void> {
    return this.#lanes[TOWARDS[side]].empty();
  }

  /** That side's input is about to be closed: what was let through already leaves before. */
  handOver(side: Side): void {
    this.#lanes[TOWARDS[side]].handOver();
  }

  /** That side reads no more. */
  sideGone(side: Side): void {
    this.#lanes[TOWARDS[side]].break();
  }

  /** The session is over: calls that were not answered have ended, and what still comes is not taken. */
  endCalls(): void {
    this.#isOver = true;
    const { to_server, to_client } = this.#traffic.flights;
    this.#traffic.endFlights([to_server, to_client]);
  }

  /** A lane that is full pauses its source; one that is full of our own answers pauses who asks for them. */
  #lane(output: Writable, source: Gate, reader: Gate): Lane {
    const { maxQueuedBytes, maxSpooledBytes, maxQueued } = this.#options.limits;
    return new Lane({
      output,
      maxBytes: maxQueuedBytes,
      maxSpooledBytes,
      maxPlaces: maxQueued,
      onPressure: (high) => source.set('full', high),
      onOwnPressure: (high) => reader.set('does not read', high),
    });
  }

  #read(direction: Direction, input: Readable): void {
    const { limits, spoolFolder } = this.#options;
    const intake = new Intake({
      maxInspectBytes: limits.maxInspectBytes,
      onLine: (line) => this.#onLine(direction, line),
      openLarge: () => new LargeMessage(spoolFolder, limits.maxMessageBytes),
      onLarge: (large) => this.#onLarge(direction, large),
    });
    input.on('data', (chunk: Buffer) => intake.push(chunk));
    input.on('end', () => intake.end());
  }

  #onLine(direction: Direction, line: Buffer): void {
    const bytes = line.length - 1;
    // An empty line is no message; nobody can be misled by its absence.
    if (isBlank(line)) return;
    const body = line.subarray(0, bytes);
    const judged = this.#judge.judge(body);
    const arrival = { direction, payload: line, bytes, streamHash: undefined };
    if (judged.type !== 'deep') this.#take(judged, arrival);
    else this.#take(scan(body), { ...arrival, streamHash: new StreamHash().update(body).digestHex() });
  }

  #onLarge(direction: Direction, large: LargeMessage): void {
    const { judged, bytes, streamHash, spool } = large.finish();
    // A refused message has given its spool back already; there is nothing to forward.
    this.#take(judged, { direction, payload: spool ?? NOTHING, bytes, streamHash });
  }

  #take(judged: Message | Refusal, arrival: Arrival): void {
    if (this.#isOver) {
      discard(arrival);
      return;
    }
    switch (judged.type) {
      case 'refused':
        this.#traffic.refuse(judged, arrival);
        return;
      case 'request':
        takeRequest(this.#traffic, judged, arrival);
        return;
      case 'notification':
        takeNotification(this.#traffic, judged, arrival);
        return;
      case 'answer':
        takeAnswer(this.#traffic, judged, arrival);
    }
  }
}

const NOTHING = Buffer.alloc(0);

/** The envelope of a line that is nested too deep to be inspected. */
function scan(line: Buffer): Message | Refusal {
  const reader = new EnvelopeReader();
  reader.push(line);
  return reader.finish();
}

function isBlank(line: Buffer): boolean {
  return isSpace(line[0]) && line.every(isSpace);
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0d || byte === 0x0a;
}
