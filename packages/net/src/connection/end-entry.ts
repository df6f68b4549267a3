import { redact, type JsonObject, type NetEndPayload } from '@subluminal/core-types';
import type { EntryInput } from '@subluminal/ledger';
import { END_CODES } from './facts.js';

/** Whose end it is, who says so, and when. */
export interface EndSource {
  readonly runId: string;
  readonly req: JsonObject;
  readonly ts: number;
}

/** The result of a connection: what became of it, and what it carried. */
export function endEntry(payload: NetEndPayload, { runId, req, ts }: EndSource): EntryInput {
  const { outcome, bytes_up, bytes_down, ms, sni, ech, address, requests, injected } = payload;
  const isClosed = outcome === 'closed';
  const status = isClosed ? 'success' : 'error';
  return {
    type: 'action_result',
    ts,
    runId,
    tool: 'net.connect',
    code: status,
    ref: payload.pending_seq,
    data: {
      req,
      status,
      outcome,
      ...(isClosed ? {} : { error: errorOf(payload) }),
      ...(sni === undefined ? {} : { sni: redact(sni).text }),
      ...(ech === undefined ? {} : { ech }),
      ...(address === undefined ? {} : { address }),
      ...(requests === undefined ? {} : { requests }),
      ...(injected === undefined ? {} : { injected: injected.map((one) => ({ ...one })) }),
      bytes_up,
      bytes_down,
      latency_ms: ms,
    },
  };
}

/**
 * The same of a connection whose run ended before its end was taken: what the end of the run has cut is
 * `interrupted`.
 */
export function lateEndEntry(
  { runId, requestId, ts }: { readonly runId: string; readonly requestId: string; readonly ts: number },
  end: NetEndPayload,
): EntryInput {
  const isCut = end.outcome === 'cut' && end.code === 'run_ended';
  const told: NetEndPayload = isCut
    ? { ...end, code: 'interrupted', detail: 'the run ended while the connection was open' }
    : end;
  return endEntry(told, { runId, req: { id: requestId }, ts });
}

const MESSAGES = {
  refused: 'what came first on the connection was refused',
  failed: 'the connection failed',
  budget: 'the run has used up what it may have of the network',
  timed_out: 'the connection took too long',
  cut: 'the gateway cut the connection',
} as const;

function errorOf({ outcome, code, detail }: NetEndPayload): { code: string; message: string } {
  if (outcome === 'closed') throw new Error('a connection that closed has no error');
  return { code: code ?? END_CODES[outcome], message: redact(detail ?? MESSAGES[outcome]).text };
}
