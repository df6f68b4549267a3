import type { ToolCallEndPayload } from '@subluminal/core-types';
import { refuse, success, type Refusal } from '../../pipeline/reply.js';
import type { ActionOf } from '../../pipeline/steps.js';
import type { OpenCall, Run } from '../../runs/run.js';
import { ENDS, life } from '../life/life.js';
import { reportedEndEntry, type InspectLimits } from './entries.js';

/** `tool.call.end`: the shim's testimony, accepted once, for a call that was allowed. */
export function toolCallEnd(limits: () => InspectLimits): ActionOf<'tool.call.end'> {
  return life(ENDS, (call, payload) => ({
    record: () => {
      const { run } = call;
      const open = run.openCalls.get(payload.call_id);
      if (open === undefined) return noOpenCall();
      settleCall(run, open, payload, call.now);
      return [reportedEndEntry(call, open, payload, limits())];
    },
    execute: () => {
      closeCall(call.run, payload);
      return success({});
    },
  }));
}

/** Counts the end of a call, and that its server asks for input where it does. */
export function settleCall(run: Run, open: OpenCall, end: ToolCallEndPayload, now: number): void {
  run.limits.settle(open, end, now);
  if (end.asks_input === true && end.status === 'OK') run.unfinished.add(open, now);
}

/** The end of the call is durable. */
export function closeCall(run: Run, end: ToolCallEndPayload): void {
  if (run.openCalls.delete(end.call_id) && end.status !== 'OK') run.counters.errors_total += 1;
}

/** The refusal of an end that fits no call. */
export function noOpenCall(): Refusal {
  return refuse('not_found', 'there is no open call with that id in this run');
}
