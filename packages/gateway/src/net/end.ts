import { isSublError, redact, SublError, type NetEndPayload } from '@subluminal/core-types';
import type { EntryInput } from '@subluminal/ledger';
import type { AnomalyDetector } from '../anomaly/detector.js';
import type { Clock } from '../clock.js';
import type { PipelineCall } from '../pipeline/call.js';
import type { ActionHandler } from '../pipeline/handlers.js';
import { payloadOf } from '../pipeline/payload.js';
import { success } from '../pipeline/reply.js';
import { anomalyEntry, requestFields } from '../recording/entries.js';
import type { LateResults } from '../recording/late-results.js';
import { auditRef, type Recorder } from '../recording/recorder.js';
import { END_CODES } from './facts.js';
import type { RunTraffic } from './run-traffic.js';

/** What an end is recorded with. */
export interface NetEndParts {
  readonly traffic: RunTraffic;
  readonly detector: Pick<AnomalyDetector, 'connectionEnded'>;
  readonly recorder: Recorder;
  readonly late: Pick<LateResults, 'add'>;
  readonly clock: Clock;
}

/** `net.end`: what became of a connection. Its record is the result of the entry that opened it; the first end is the one. */
export function netEnd(parts: NetEndParts): ActionHandler {
  const { traffic, detector, recorder, late, clock } = parts;
  return {
    entries: () => 'own',
    execute: async (call) => {
      const payload = payloadOf(call, 'net.end');
      const { pending_seq: seq, bytes_up, bytes_down } = payload;
      const { run } = call.caller;
      if (run === undefined || !traffic.end(run.id, seq, bytes_up + bytes_down))
        throw new SublError('not_found', `no connection \`${seq}\` of this run is open`);
      const entry = endEntry(call, payload, clock());
      const flags = detector.connectionEnded(run, seq, bytes_up, bytes_down);
      const settled = (): boolean => run.openPendings.delete(seq);
      try {
        const result = await recorder.append({
          entries: [entry, ...flags.map((flag) => anomalyEntry(call, flag, seq))],
          seen: { runId: run.id, id: call.requestId },
        });
        settled();
        if (!result.ok) throw new SublError('replayed', 'the end of this connection is recorded');
        call.auditRef = auditRef(result.entries[0]);
      } catch (error) {
        if (isSublError(error, 'audit_unavailable', 'overloaded')) late.add(seq, entry, settled);
        throw error;
      }
      return success({});
    },
  };
}

function endEntry(call: PipelineCall, payload: NetEndPayload, ts: number): EntryInput {
  const { outcome, bytes_up, bytes_down, ms, sni, address, requests, injected } = payload;
  const isClosed = outcome === 'closed';
  const status = isClosed ? 'success' : 'error';
  return {
    type: 'action_result',
    ts,
    runId: call.runId,
    tool: 'net.connect',
    code: status,
    ref: payload.pending_seq,
    data: {
      req: requestFields(call),
      status,
      outcome,
      ...(isClosed ? {} : { error: errorOf(payload) }),
      ...(sni === undefined ? {} : { sni: redact(sni).text }),
      ...(address === undefined ? {} : { address }),
      ...(requests === undefined ? {} : { requests }),
      ...(injected === undefined ? {} : { injected: injected.map((one) => ({ ...one })) }),
      bytes_up,
      bytes_down,
      latency_ms: ms,
    },
  };
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
