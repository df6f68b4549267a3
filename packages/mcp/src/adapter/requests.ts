import type { Allowed, Refused, ToolCall } from '@subluminal/agent';
import { type Message, type Params, refuse } from '../message/message.js';
import { messageIdOf } from '../message/message-id.js';
import { ASKING_KEYS, foldName } from '../message/names.js';
import { endWithout } from './call-end.js';
import type { Flight } from './in-flight.js';
import type { Place } from './outbox.js';
import { limitTime } from './time-limit.js';
import { isHousekeeping, isPlainNotification, isToolCall, mustBeRequest } from './classify.js';
import { callsIn, decideAll } from './embedded-calls.js';
import { refusalAnswer } from './error-answer.js';
import { LIST_CHANGED, listRequestOf, TOOLS_LIST } from './tool-list.js';
import { type Arrival, type Direction, discard, OPPOSITE, type Traffic } from './traffic.js';

type Request = Message & { readonly type: 'request' };
type Notification = Message & { readonly type: 'notification' };

/** How long an answer may take that was on its way when its call was cancelled. */
const CROSSING_MS = 2000;

/** How a decided message ends that nothing will ever answer: it is over once it is on its way. */
const SENT = { status: 'OK', latency_ms: 0, bytes_out: 0, preview: { truncated: false } } as const;

/** Takes a request of either side: it passes, or is decided, or is refused because its id is in flight. */
export function takeRequest(traffic: Traffic, message: Request, arrival: Arrival): void {
  const { id, method, params } = message;
  const flights = traffic.flights[arrival.direction];
  const flight = flights.add(id, method);
  if (typeof flight === 'string') {
    const full = flight === 'full';
    const text = full ? 'too many requests wait for answers' : 'a request with this id waits for its answer';
    traffic.refuse(refuse('duplicate_id', text, { ids: [id], method }), arrival);
    return;
  }
  if (isHousekeeping(method)) {
    passHousekeeping(traffic, message, arrival, flight);
    return;
  }
  const call = traffic.callOf(method, params, arrival);
  if (typeof call === 'string') {
    flights.remove(id);
    traffic.refuse(refuse('wrong_type', call, { ids: [id], method }), arrival);
    return;
  }
  const place = traffic.reserve(arrival);
  const isOurs = isToolCall(method) && arrival.direction === 'to_server';
  const continued = isOurs ? traffic.continuations.take(params, call) : undefined;
  // The end of that call is told before it.
  if (continued !== undefined) traffic.reportEnds();
  const asked = continued === undefined ? call : { ...call, continues: continued.callId };
  void traffic.decide(asked, arrival.direction).then((verdict) => {
    if (verdict.decision === 'ALLOW') {
      const { args_hash: argsHash, call_id: callId } = verdict;
      if (isOurs && argsHash !== undefined) flight.made = { callId, toolName: call.tool_name, argsHash };
      setOut(traffic, flight, arrival.direction, verdict);
      place.send(arrival.payload);
      return;
    }
    if (continued !== undefined && verdict.decision === 'THROTTLE') {
      traffic.continuations.putBack(continued);
    }
    flights.remove(id);
    traffic.send(OPPOSITE[arrival.direction], refusalAnswer(id, call, verdict));
    turnBack(traffic, place, arrival, verdict);
  });
}

/** Passes a request without a decision. It may say what the client can do, or ask for a list of tools. */
function passHousekeeping(
  traffic: Traffic,
  { method, params }: Request,
  arrival: Arrival,
  flight: Flight,
): void {
  flight.sentAt = traffic.now();
  if (arrival.direction === 'to_server') {
    const clientHash = traffic.hearClient(method, params);
    if (method === TOOLS_LIST) flight.list = { ...listRequestOf(params), clientHash };
  }
  traffic.reserve(arrival).send(arrival.payload);
}

/** A request that is allowed leaves now: from here on it can be answered, and its time runs. */
function setOut(traffic: Traffic, flight: Flight, direction: Direction, allowed: Allowed): void {
  flight.callId = allowed.call_id;
  flight.sentAt = traffic.now();
  if (flight.cancelled) awaitCancelled(traffic, flight, direction);
  else if (direction === 'to_server') limitTime(traffic, flight, allowed.timeout_ms);
}

/**
 * Takes a notification of either side. Its effect is decided as for a request; only nobody can be
 * answered.
 */
export function takeNotification(traffic: Traffic, message: Notification, arrival: Arrival): void {
  const { method, params } = message;
  if (isPlainNotification(method)) {
    takePlain(traffic, message, arrival);
    return;
  }
  if (mustBeRequest(method)) {
    traffic.refuse(refuse('notification_call', `\`${method}\` must be a request`, { method }), arrival);
    return;
  }
  const call = traffic.callOf(method, params, arrival);
  if (typeof call === 'string') {
    traffic.refuse(refuse('wrong_type', call, { method }), arrival);
    return;
  }
  const place = traffic.reserve(arrival);
  void traffic.decide(call, arrival.direction).then((verdict) => {
    if (verdict.decision === 'ALLOW') {
      place.send(arrival.payload);
      traffic.core.end(verdict.call_id, SENT);
      return;
    }
    turnBack(traffic, place, arrival, verdict);
  });
}

/** A notification of the standard passes, but for what a server asks of the client in the state of a task. */
function takePlain(traffic: Traffic, { method, params }: Notification, arrival: Arrival): void {
  const calls = arrival.direction === 'to_client' ? askedIn(traffic, params, arrival) : [];
  if (typeof calls === 'string') {
    traffic.refuse(refuse('wrong_type', calls, { method }), arrival);
    return;
  }
  if (method === LIST_CHANGED && arrival.direction === 'to_client') traffic.countListChange();
  if (method === 'notifications/cancelled') cancel(traffic, params, arrival.direction);
  const place = traffic.reserve(arrival);
  if (calls.length === 0) {
    place.send(arrival.payload);
    return;
  }
  void decideAll(traffic, calls).then((refusal) => {
    if (refusal === undefined) {
      place.send(arrival.payload);
      return;
    }
    turnBack(traffic, place, arrival, refusal.refused);
  });
}

/** A message that is refused goes nowhere. Its sender, where it waits for an answer, has had that before. */
function turnBack(traffic: Traffic, place: Place, arrival: Arrival, refused: Refused): void {
  place.drop();
  discard(arrival);
  if (refused.ends_session) traffic.onRunOver(refused);
}

/**
 * The requests inside of a notification's params; params that were not inspected must not have any, nor an
 * error.
 */
function askedIn(traffic: Traffic, params: Params, arrival: Arrival): readonly ToolCall[] | string {
  if (params.inspected) return params.value === undefined ? [] : callsIn(traffic, params.value, arrival);
  const asks = params.keys?.some((key) => ASKING_KEYS.folded.has(foldName(key))) ?? true;
  return asks ? 'it may ask for input, and is too large or too deep to be judged' : [];
}

function cancel(traffic: Traffic, params: Params, direction: Direction): void {
  const requestId = params.inspected ? params.value?.['requestId'] : undefined;
  const id = messageIdOf(requestId);
  const flight = id === undefined ? undefined : traffic.flights[direction].cancel(id);
  if (flight?.callId !== undefined) awaitCancelled(traffic, flight, direction);
}

/**
 * An answer may cross the cancellation: it passes, and the end of the call tells of it. A later one goes
 * nowhere, and the call has ended without it.
 */
function awaitCancelled(traffic: Traffic, flight: Flight, direction: Direction): void {
  const end = (): void => {
    flight.gaveUp = true;
    const latency = traffic.since(flight.sentAt);
    traffic.endFlight(flight, endWithout('CANCELLED', latency, 'unknown', 'cancelled by its sender'));
  };
  // Its session may have ended while it was decided: then nothing can come any more.
  if (traffic.flights[direction].waiting(flight.id) !== flight) end();
  else flight.timer = setTimeout(end, CROSSING_MS).unref();
}
