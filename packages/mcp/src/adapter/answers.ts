import type { ToolCall } from '@subluminal/agent';
import { type Message, type MessageId, type Outcome, refuse } from '../message/message.js';
import { endOfAnswer, endWithout } from './call-end.js';
import { callsIn, decideAll } from './embedded-calls.js';
import { brokenAnswer, errorAnswer, refusalAnswer } from './error-answer.js';
import { withoutForgery } from './forgery.js';
import type { Flight } from './in-flight.js';
import type { Payload, Place } from './outbox.js';
import { type ListRequest, listResultOf, withoutTools } from './tool-list.js';
import { type Arrival, discard, OPPOSITE, type Traffic } from './traffic.js';

type Answer = Message & { readonly type: 'answer' };

/**
 * Takes an answer of either side: to a request that waits for it, once, and without what only a gateway may
 * say.
 */
export function takeAnswer(traffic: Traffic, { id, outcome }: Answer, arrival: Arrival): void {
  const embedded = arrival.direction === 'to_client' ? embeddedCalls(traffic, outcome, arrival) : [];
  if (typeof embedded === 'string') {
    traffic.refuse(refuse('wrong_type', embedded, { answers: [id] }), arrival);
    return;
  }
  const flight = traffic.flights[OPPOSITE[arrival.direction]].answer(id);
  if (typeof flight === 'string') {
    traffic.refuse(refuse(flight, 'nobody waits for this answer'), arrival);
    return;
  }
  if (flight.gaveUp) {
    traffic.refuse(refuse('duplicate_answer', 'it came when the call had been given up'), arrival);
    return;
  }
  const place = traffic.reserve(arrival);
  if (flight.list !== undefined && outcome.kind === 'result') {
    const { list } = flight;
    if (embedded.length > 0) traffic.replace(place, id, arrival, 'a list of tools cannot ask for input');
    else void takeList(traffic, list, { flight, place, outcome, arrival });
    return;
  }
  if (embedded.length > 0) {
    void decideEmbedded(traffic, embedded, { flight, place, outcome, arrival });
    return;
  }
  const replaced = arrival.direction === 'to_client' ? cleaned(id, outcome) : undefined;
  if (replaced !== undefined) discard(arrival);
  pass(traffic, { flight, place, outcome, arrival }, replaced ?? arrival.payload);
}

/** An answer on its way. */
interface Passing {
  readonly flight: Flight;
  readonly place: Place;
  readonly outcome: Outcome;
  readonly arrival: Arrival;
}

/** A list of tools passes byte for byte, or without those that the client may not see. */
async function takeList(traffic: Traffic, request: ListRequest, passing: Passing): Promise<void> {
  const { flight, place, outcome, arrival } = passing;
  // As of this answer: what the server announced before it, it has taken into account.
  const list = listResultOf(request, {
    outcome,
    epoch: traffic.listEpoch,
    maxBytes: traffic.maxInspectBytes,
  });
  if (typeof list === 'string') {
    const reason = outcome.value === undefined ? 'too_large' : 'wrong_type';
    traffic.replace(place, flight.id, arrival, list, reason);
    return;
  }
  const verdict = await traffic.listed(list.page, arrival.bytes);
  if ('refused' in verdict) traffic.replace(place, flight.id, arrival, verdict.refused);
  else if (verdict.leaveOut.size === 0) place.send(arrival.payload);
  else {
    const shorter = withoutTools(flight.id, list, verdict.leaveOut);
    if (shorter === undefined)
      traffic.replace(place, flight.id, arrival, 'it cannot be written without them');
    else place.send(shorter);
  }
}

function pass(traffic: Traffic, { flight, place, outcome, arrival }: Passing, payload: Payload): void {
  place.send(payload);
  if (flight.callId === undefined) return;
  const { bytes, streamHash } = arrival;
  const latencyMs = traffic.since(flight.sentAt);
  const asksInput = noteQuestion(traffic, flight, outcome);
  traffic.endLater(flight, () => {
    const end = endOfAnswer({ outcome, bytes, streamHash, latencyMs }, traffic.core.values);
    return asksInput ? { ...end, asks_input: true } : end;
  });
}

/** Tells whether a tool asks for input, and remembers its call, which will be made once more for that. */
function noteQuestion(traffic: Traffic, { made, cancelled }: Flight, { kind, value }: Outcome): boolean {
  if (made === undefined || cancelled || kind !== 'result') return false;
  return traffic.continuations.note(value, made);
}

/**
 * Each request inside of the result is decided like one that travels alone; one refusal refuses the result.
 */
async function decideEmbedded(traffic: Traffic, calls: readonly ToolCall[], passing: Passing): Promise<void> {
  const { flight, place, arrival } = passing;
  const refusal = await decideAll(traffic, calls);
  if (refusal === undefined) {
    pass(traffic, passing, arrival.payload);
    return;
  }
  place.send(refusalAnswer(flight.id, refusal.call, refusal.refused));
  const text = 'the server asked for what the policy refuses';
  traffic.endFlight(flight, endWithout('ERROR', traffic.since(flight.sentAt), 'policy_block', text));
  if (refusal.refused.ends_session) traffic.onRunOver(refusal.refused);
}

/** The requests inside of a result, as calls to be decided; a text says why the result cannot be judged. */
function embeddedCalls(traffic: Traffic, outcome: Outcome, arrival: Arrival): readonly ToolCall[] | string {
  if (outcome.kind !== 'result') return [];
  if (outcome.value === undefined)
    return outcome.asksInput ? 'it asks for input, or holds an error, and is too large to be judged' : [];
  return callsIn(traffic, outcome.value, arrival);
}

/**
 * The replacement for an error that says what only a gateway may say, undefined when it says nothing of that
 * kind.
 */
function cleaned(id: MessageId, outcome: Outcome): Buffer | undefined {
  if (outcome.kind === 'result') return undefined;
  if (outcome.value !== undefined) {
    const clean = withoutForgery(outcome.value);
    return clean === undefined ? undefined : errorAnswer(id, clean);
  }
  return outcome.forged ? brokenAnswer(id, 'it used what is reserved for the gateway') : undefined;
}
