import { type Call, type Refusal, refuse } from '@subluminal/gateway';
import type { RunTraffic } from './run-traffic.js';

/**
 * Stage 4 of `net.connect`, which comes before its name is looked up: the pace of a run, what it has open,
 * and what it has carried. Undefined where one more may begin.
 */
export function admitConnection(
  traffic: Pick<RunTraffic, 'begin' | 'begun'>,
  call: Call,
): Refusal | undefined {
  const { run } = call;
  const verdict = traffic.begin(run.id);
  if (verdict.ok) {
    call.atEnd(() => traffic.begun(run.id));
    return undefined;
  }
  if (verdict.why === 'pace') {
    const { retryAfterMs } = verdict;
    const message = `the run opens too many connections; try again in ${Math.ceil(retryAfterMs / 1000)} s`;
    return limited(message, { scope: 'minute', retry_after_ms: retryAfterMs });
  }
  if (verdict.why === 'open') return limited('the run has too many connections open', { scope: 'open' });
  return {
    ...refuse('budget_spent', 'the run has used up what it may have of the network'),
    stage: 'rate-limit',
  };
}

function limited(message: string, details: Readonly<Record<string, string | number>>): Refusal {
  return {
    status: 'rate_limited',
    error: { code: 'rate_limited', message, details: { ...details } },
    stage: 'rate-limit',
  };
}
