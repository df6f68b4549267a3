import { isSublError, type ToolCallEndPayload } from '@subluminal/core-types';
import type { Call } from '../../pipeline/call.js';
import { refuse, success, type Refusal } from '../../pipeline/reply.js';
import type { ActionOf } from '../../pipeline/steps.js';
import type { Recorder } from '../../recording/recorder.js';
import type { OpenCall, Run } from '../../runs/run.js';
import { ENDS, life } from '../life/life.js';
import { reportedEndEntry } from './end-entries.js';
import type { Inspection } from './entries.js';

export interface CarriedEndsParts {
  readonly recorder: Recorder;
  readonly inspection: () => Inspection;
}

/** `tool.call.end`: the shim's testimony, accepted once, for a call that was allowed. */
export function toolCallEnd(inspection: () => Inspection): ActionOf<'tool.call.end'> {
  return life(ENDS, (call, payload) => ({
    record: () => {
      const { run } = call;
      const open = run.openCalls.get(payload.call_id);
      if (open === undefined) return noOpenCall();
      settleCall(run, open, payload, call.now);
      return [reportedEndEntry(call, open, payload, inspection())];
    },
    execute: () => {
      closeCall(call.run, payload);
      return success({});
    },
  }));
}

/**
 * Records the ends that a begin carries, whatever becomes of the call itself: they stand in front of its
 * entries, in the same commit. One that fits no open call refuses the request, and none of its ends is
 * recorded.
 */
export function takeEnds(
  parts: CarriedEndsParts,
  call: Call,
  ends: readonly ToolCallEndPayload[],
): Refusal | undefined {
  const { run } = call;
  const found = new Map<OpenCall, ToolCallEndPayload>();
  for (const end of ends) {
    const open = run.openCalls.get(end.call_id);
    if (open === undefined || found.has(open)) return noOpenCall();
    found.set(open, end);
  }
  for (const [open, end] of found) {
    // At once: the call that carries it is decided by it.
    settleCall(run, open, end, call.now);
    void recordEnd(parts, call, open, end);
  }
  return undefined;
}

async function recordEnd(
  { recorder, inspection }: CarriedEndsParts,
  call: Call,
  open: OpenCall,
  end: ToolCallEndPayload,
): Promise<void> {
  try {
    const result = await recorder.append({ entries: [reportedEndEntry(call, open, end, inspection())] });
    // A conflict: another report of the same call was first.
    if (result.ok) closeCall(call.run, end);
  } catch (error) {
    // The recorder has told the log. The call stays open, and is closed with its run at the latest.
    if (!isSublError(error)) throw error;
  }
}

/** Counts the end of a call, and that its server asks for input where it does. */
function settleCall(run: Run, open: OpenCall, end: ToolCallEndPayload, now: number): void {
  run.limits.settle(open, end, now);
  if (end.asks_input === true && end.status === 'OK') run.unfinished.add(open, now);
}

/** The end of the call is durable. */
function closeCall(run: Run, end: ToolCallEndPayload): void {
  if (run.openCalls.delete(end.call_id) && end.status !== 'OK') run.counters.errors_total += 1;
}

/** The refusal of an end that fits no call. */
function noOpenCall(): Refusal {
  return refuse('not_found', 'there is no open call with that id in this run');
}
