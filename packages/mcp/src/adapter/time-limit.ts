import { endWithout } from './call-end.js';
import { isToolCall } from './classify.js';
import { timeoutAnswer } from './error-answer.js';
import type { Flight } from './in-flight.js';
import type { Traffic } from './traffic.js';

/**
 * Gives a call up when it has taken longer than it may: its server is told so, its client gets an error, its
 * end is recorded, and what the server says of it later goes nowhere. Progress does not prolong it. Only
 * calls of tools are timed: a subscription, or a question to a person, may take as long as it likes.
 */
export function limitTime(traffic: Traffic, flight: Flight, timeoutMs: number | undefined): void {
  if (timeoutMs === undefined || !isToolCall(flight.method)) return;
  flight.timer = setTimeout(() => giveUp(traffic, flight, timeoutMs), timeoutMs);
  // The session keeps the process, and ends its calls.
  flight.timer.unref();
}

function giveUp(traffic: Traffic, flight: Flight, timeoutMs: number): void {
  if (!traffic.flights.to_server.giveUp(flight)) return;
  const { id } = flight;
  traffic.send('to_client', timeoutAnswer(id, timeoutMs));
  if (flight.onGivenUp?.() !== true) traffic.send('to_server', cancellation(id.text));
  const message = `the server did not answer within ${timeoutMs} ms`;
  traffic.endFlight(flight, endWithout('TIMEOUT', traffic.since(flight.sentAt), 'timeout', message));
}

/** `id` is the request's id as it was written. */
function cancellation(id: string): Buffer {
  const params = `{"requestId":${id},"reason":"it took too long"}`;
  return Buffer.from(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":${params}}\n`);
}
