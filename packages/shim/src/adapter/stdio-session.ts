import type { Readable, Writable } from 'node:stream';
import { StreamHash } from '@subluminal/core-types';
import type { Core, Refused, ToolCall } from '../core/contract.js';
import { EnvelopeReader } from '../json-scan/envelope-reader.js';
import { Judge } from '../message/judge.js';
import type { Message, MessageId, Outcome, Params, Refusal } from '../message/message.js';
import { refuse } from '../message/message.js';
import { messageIdOf } from '../message/message-id.js';
import { LargeMessage } from '../spool/large-message.js';
import { Spool } from '../spool/spool.js';
import { callContextOf } from './call-context.js';
import { endOfAnswer, endWithout } from './call-end.js';
import { effectOf, isHousekeeping, isPlainNotification, mustBeRequest, type Observed } from './classify.js';
import { brokenAnswer, invalidAnswer, refusalAnswer, withoutForgery } from './error-answer.js';
import { InFlight } from './in-flight.js';
import { Intake } from './intake.js';
import { Lane, type Payload, type Place } from './lane.js';
import type { SessionLimits } from './limits.js';

type Direction = 'to_server' | 'to_client';

const OPPOSITE: Readonly<Record<Direction, Direction>> = { to_server: 'to_client', to_client: 'to_server' };

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

/** A message that passed the judge, with the bytes that were judged. */
interface Arrival {
  readonly direction: Direction;
  readonly payload: Payload;
  readonly bytes: number;
  /** Names the content where it was not inspected. */
  readonly streamHash: string | undefined;
}

/**
 * The MCP stdio adapter (Interface Pack §7): what the client and the server write to each other passes through here, line
 * by line, in order, byte for byte, after it was judged and, where it does something, decided. Both directions follow
 * the same rules. Design §7.
 */
export class StdioSession {
  readonly #options: StdioSessionOptions;
  readonly #judge = new Judge();
  readonly #lanes: Readonly<Record<Direction, Lane>>;
  /** Requests that travel in this direction and wait for an answer in the other. */
  readonly #flights: Readonly<Record<Direction, InFlight>>;

  constructor(options: StdioSessionOptions) {
    this.#options = options;
    const { client, server, limits } = options;
    this.#lanes = {
      to_server: this.#lane(server.output, client.input),
      to_client: this.#lane(client.output, server.input),
    };
    this.#flights = {
      to_server: new InFlight(limits.maxInFlight),
      to_client: new InFlight(limits.maxInFlight),
    };
    this.#read('to_server', client.input);
    this.#read('to_client', server.input);
  }

  /** Resolves when everything that came for that side has been decided and handed over, or that side is gone. */
  delivered(side: 'server' | 'client'): Promise<void> {
    return this.#lanes[side === 'server' ? 'to_server' : 'to_client'].empty();
  }

  /** That side reads no more. */
  sideGone(side: 'server' | 'client'): void {
    this.#lanes[side === 'server' ? 'to_server' : 'to_client'].break();
  }

  /** The session is over: calls that were not answered end as transport errors. */
  endCalls(): void {
    for (const direction of ['to_server', 'to_client'] as const) {
      for (const { callId, sentAt, cancelled } of this.#flights[direction].clear()) {
        if (callId === undefined || cancelled) continue;
        const end = endWithout(
          'ERROR',
          this.#since(sentAt),
          'transport',
          'the session ended before an answer came',
        );
        this.#options.core.end(callId, end);
      }
    }
  }

  #lane(output: Writable, input: Readable): Lane {
    const { maxQueuedBytes, maxInFlight } = this.#options.limits;
    return new Lane({
      output,
      maxBytes: maxQueuedBytes,
      maxPlaces: maxInFlight,
      onPressure: (high) => {
        if (high) input.pause();
        else input.resume();
      },
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
    if (judged.type === 'refused') this.#refuse(judged, direction, bytes, streamHash);
    else if (spool !== undefined) this.#take(judged, { direction, payload: spool, bytes, streamHash });
  }

  #take(judged: Message | Refusal, arrival: Arrival): void {
    switch (judged.type) {
      case 'refused':
        this.#refuse(judged, arrival.direction, arrival.bytes, arrival.streamHash);
        return;
      case 'request':
        this.#request(judged, arrival);
        return;
      case 'notification':
        this.#notification(judged, arrival);
        return;
      case 'answer':
        this.#answer(judged.id, judged.outcome, arrival);
    }
  }

  #request(message: Message & { readonly type: 'request' }, arrival: Arrival): void {
    const { id, method, params } = message;
    const flights = this.#flights[arrival.direction];
    const flight = flights.add(id, method);
    if (typeof flight === 'string') {
      const text =
        flight === 'full'
          ? 'too many requests wait for answers'
          : 'a request with this id waits for its answer';
      this.#refuseArrival(refuse('duplicate_id', text, { ids: [id], method }), arrival);
      return;
    }
    const place = this.#reserve(arrival);
    if (isHousekeeping(method)) {
      flight.sentAt = this.#options.monotonic();
      place.send(arrival.payload);
      return;
    }
    const call = this.#callOf(method, params, arrival);
    if (typeof call === 'string') {
      flights.remove(id);
      place.drop();
      this.#refuseArrival(refuse('wrong_type', call, { ids: [id], method }), arrival);
      return;
    }
    void this.#options.core.decide(call).then((verdict) => {
      if (verdict.decision === 'ALLOW') {
        flight.callId = verdict.call_id;
        flight.sentAt = this.#options.monotonic();
        if (flight.cancelled) this.#endCancelled(flight.callId, 0);
        place.send(arrival.payload);
        return;
      }
      flights.remove(id);
      place.drop();
      closeSpool(arrival.payload);
      this.#reply(arrival.direction, refusalAnswer(id, call, verdict));
      if (verdict.ends_session) this.#options.onRunOver(verdict);
    });
  }

  #notification(message: Message & { readonly type: 'notification' }, arrival: Arrival): void {
    const { method, params } = message;
    if (isPlainNotification(method)) {
      if (method === 'notifications/cancelled') this.#cancel(params, arrival.direction);
      this.#reserve(arrival).send(arrival.payload);
      return;
    }
    const call = mustBeRequest(method) ? undefined : this.#callOf(method, params, arrival);
    if (call === undefined || typeof call === 'string') {
      const text = call ?? `\`${method}\` must be a request`;
      this.#refuseArrival(
        refuse(call === undefined ? 'notification_call' : 'wrong_type', text, { method }),
        arrival,
      );
      return;
    }
    const place = this.#reserve(arrival);
    void this.#options.core.decide(call).then((verdict) => {
      if (verdict.decision === 'ALLOW') {
        place.send(arrival.payload);
        // Nothing will ever answer it, so it is over once it is on its way.
        this.#options.core.end(verdict.call_id, {
          status: 'OK',
          latency_ms: 0,
          bytes_out: 0,
          preview: { truncated: false },
        });
        return;
      }
      place.drop();
      closeSpool(arrival.payload);
      if (verdict.ends_session) this.#options.onRunOver(verdict);
    });
  }

  #answer(id: MessageId, outcome: Outcome, arrival: Arrival): void {
    const flight = this.#flights[OPPOSITE[arrival.direction]].answer(id);
    if (typeof flight === 'string') {
      this.#refuseArrival(refuse(flight, 'nobody waits for this answer'), arrival);
      return;
    }
    const place = this.#reserve(arrival);
    const replaced = arrival.direction === 'to_client' ? cleaned(id, outcome) : undefined;
    if (replaced !== undefined) closeSpool(arrival.payload);
    place.send(replaced ?? arrival.payload);
    if (flight.callId === undefined || flight.cancelled) return;
    const { bytes, streamHash } = arrival;
    const end = endOfAnswer({ outcome, bytes, streamHash, latencyMs: this.#since(flight.sentAt) });
    this.#options.core.end(flight.callId, end);
  }

  #cancel(params: Params, direction: Direction): void {
    const requestId = params.inspected ? params.value?.['requestId'] : undefined;
    const id = messageIdOf(requestId);
    const flight = id === undefined ? undefined : this.#flights[direction].cancel(id);
    if (flight?.callId !== undefined) this.#endCancelled(flight.callId, this.#since(flight.sentAt));
  }

  #endCancelled(callId: string, latencyMs: number): void {
    this.#options.core.end(callId, endWithout('CANCELLED', latencyMs, 'unknown', 'cancelled by the client'));
  }

  #callOf(method: string, params: Params, arrival: Arrival): ToolCall | string {
    const { bytes, streamHash } = arrival;
    const observed = (): Observed => ({ bytes, streamHash: streamHash ?? '' });
    const effect = effectOf(method, params, observed);
    if (typeof effect === 'string') return effect;
    return {
      server_name: this.#options.serverName,
      tool_name: effect.toolName,
      args: effect.args,
      bytes_in: bytes,
      transport: 'mcp_stdio',
      call_context: callContextOf(params),
    };
  }

  #refuseArrival(refusal: Refusal, arrival: Arrival): void {
    closeSpool(arrival.payload);
    this.#refuse(refusal, arrival.direction, arrival.bytes, arrival.streamHash);
  }

  /** The sender is told where it can be told; the gateway records it; the session goes on. */
  #refuse(refusal: Refusal, direction: Direction, bytes: number, streamHash: string | undefined): void {
    const { reason, method } = refusal;
    this.#options.core.dropped({ direction, reason, bytes, method, streamHash });
    for (const id of refusal.ids) this.#reply(direction, invalidAnswer(id, refusal.text));
    for (const id of refusal.answers) this.#replaceAnswer(id, direction, bytes, refusal.text);
  }

  /** An answer that cannot be passed on still ends the request that waits for it. */
  #replaceAnswer(id: MessageId, direction: Direction, bytes: number, why: string): void {
    const flight = this.#flights[OPPOSITE[direction]].answer(id);
    if (typeof flight === 'string') return;
    const answer = brokenAnswer(id, why);
    this.#lanes[direction].reserve(answer.length).send(answer);
    if (flight.callId === undefined || flight.cancelled) return;
    const end = endWithout(
      'ERROR',
      this.#since(flight.sentAt),
      'transport',
      `the answer was not forwarded: ${why}`,
    );
    this.#options.core.end(flight.callId, { ...end, bytes_out: bytes });
  }

  /** Answers a message of this direction in the place of its receiver. */
  #reply(direction: Direction, answer: Buffer): void {
    this.#lanes[OPPOSITE[direction]].reserve(answer.length).send(answer);
  }

  #reserve(arrival: Arrival): Place {
    const held = arrival.payload instanceof Spool ? 0 : arrival.payload.length;
    return this.#lanes[arrival.direction].reserve(held);
  }

  #since(start: number | undefined): number {
    return start === undefined ? 0 : Math.max(0, Math.round(this.#options.monotonic() - start));
  }
}

/** The envelope of a line that is nested too deep to be inspected. */
function scan(line: Buffer): Message | Refusal {
  const reader = new EnvelopeReader();
  reader.push(line);
  return reader.finish();
}

/** The replacement for an error that says what only a gateway may say, undefined when it says nothing of that kind. */
function cleaned(id: MessageId, outcome: Outcome): Buffer | undefined {
  if (outcome.kind === 'result') return undefined;
  if (outcome.value !== undefined) return withoutForgery(id, outcome.value);
  return outcome.forged ? brokenAnswer(id, 'it used what is reserved for the gateway') : undefined;
}

function closeSpool(payload: Payload): void {
  if (payload instanceof Spool) payload.close();
}

function isBlank(line: Buffer): boolean {
  return line.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d || byte === 0x0a);
}
