import type { JsonValue } from '@subluminal/core-types';
import type { Refused, ToolCall, Verdict } from '@subluminal/agent';
import { isHousekeeping } from './classify.js';
import { embeddedRequests } from './embedded-requests.js';
import type { Arrival, Traffic } from './traffic.js';

/**
 * The requests inside of a result or of params, as calls to be decided; a text says why they cannot be
 * judged.
 */
export function callsIn(traffic: Traffic, holder: JsonValue, arrival: Arrival): readonly ToolCall[] | string {
  const requests = embeddedRequests(holder);
  if (typeof requests === 'string') return requests;
  const calls: ToolCall[] = [];
  for (const { method, params } of requests) {
    if (isHousekeeping(method)) continue;
    const call = traffic.callOf(method, { inspected: true, value: params }, arrival);
    if (typeof call === 'string') return call;
    calls.push(call);
  }
  return calls;
}

/**
 * Decides all of them, and ends those that were allowed; the first refusal, or undefined when there is none.
 */
export async function decideAll(
  traffic: Traffic,
  calls: readonly ToolCall[],
): Promise<{ readonly call: ToolCall; readonly refused: Refused } | undefined> {
  const decided = await Promise.all(
    calls.map(async (call) => ({ call, verdict: await traffic.decide(call, 'to_client') })),
  );
  const refusal = decided.map(refusedOf).find((found) => found !== undefined);
  const status = refusal === undefined ? 'OK' : 'CANCELLED';
  for (const { verdict } of decided) {
    if (verdict.decision !== 'ALLOW') continue;
    traffic.core.end(verdict.call_id, { status, latency_ms: 0, bytes_out: 0, preview: { truncated: false } });
  }
  return refusal;
}

function refusedOf({ call, verdict }: { readonly call: ToolCall; readonly verdict: Verdict }) {
  return verdict.decision === 'ALLOW' ? undefined : { call, refused: verdict };
}
