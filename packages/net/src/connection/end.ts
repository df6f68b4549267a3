import { isSublError, SublError } from '@subluminal/core-types';
import {
  type ActionOf,
  type Clock,
  type Detector,
  ENDS,
  type LateResults,
  type Recorder,
  anomalyEntry,
  auditRef,
  life,
  success,
} from '@subluminal/gateway';
import { endEntry } from './end-entry.js';
import type { RunTraffic } from './run-traffic.js';

/**
 * An end waits so long for a commit that it can go with: nothing depends on it, and the next connection's is
 * near.
 */
const MAY_WAIT_MS = 20;

/** What an end is recorded with. */
export interface NetEndParts {
  readonly traffic: RunTraffic;
  readonly detector: Pick<Detector, 'connectionEnded'>;
  readonly recorder: Recorder;
  readonly late: Pick<LateResults, 'add'>;
  readonly clock: Clock;
}

/**
 * `net.end`: the end of a connection. Its record is the result of the entry that opened the connection; the
 * first end is the one.
 */
export function netEnd(parts: NetEndParts): ActionOf<'net.end'> {
  const { traffic, detector, recorder, late, clock } = parts;
  return life(ENDS, (call, payload) => ({
    record: () => 'own',
    execute: async () => {
      const { pending_seq: seq, bytes_up, bytes_down } = payload;
      const { run } = call;
      if (!traffic.end(run.id, seq))
        throw new SublError('not_found', `no connection \`${seq}\` of this run is open`);
      const entry = endEntry(payload, { runId: run.id, req: call.requestFields, ts: clock() });
      const flags = detector.connectionEnded(run, seq, bytes_up, bytes_down);
      const settled = (): boolean => run.openPendings.delete(seq);
      try {
        const entries = [entry, ...flags.map((flag) => anomalyEntry(call, flag, seq))];
        const result = await recorder.append(
          { entries, seen: { runId: run.id, id: call.requestId } },
          MAY_WAIT_MS,
        );
        settled();
        if (!result.ok) throw new SublError('replayed', 'the end of this connection is recorded');
        call.auditRef = auditRef(result.entries[0]);
      } catch (error) {
        if (isSublError(error, 'audit_unavailable', 'overloaded')) late.add(seq, entry, settled);
        throw error;
      } finally {
        traffic.carried(run.id, bytes_up + bytes_down);
      }
      return success({});
    },
  }));
}
