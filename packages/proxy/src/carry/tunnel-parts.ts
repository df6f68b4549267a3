import type { Behind } from '../behind.js';
import type { Reached } from '../judge/reach.js';
import type { RunLink } from '../run-link.js';
import type { TunnelParts } from './tunnel.js';

/** What a tunnel that was decided on so is judged by, however it was asked for. */
export function tunnelParts(
  { limits, strict, injector }: Behind,
  { runId }: RunLink,
  { host, opened }: Reached,
  port: number,
): Pick<TunnelParts, 'decided' | 'firstMs' | 'maxHeadBytes' | 'judge'> {
  const { tls, plain, raw } = opened.decision;
  return {
    decided: { host, port, tls, plain, raw, strict },
    firstMs: limits.headMs,
    maxHeadBytes: limits.maxHeadBytes,
    judge: (request) => injector.assertNone(runId, host, request),
  };
}
