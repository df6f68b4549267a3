import type { EntryInput } from '@subluminal/ledger';
import type { OpenCall } from './run.js';

/** `tool_call_end` of a call whose end nobody can report any more. Whether it had its effect is not known. */
export function unreportedEndEntry(runId: string, open: OpenCall, ts: number, message: string): EntryInput {
  return {
    type: 'tool_call_end',
    ts,
    runId,
    tool: open.tool,
    code: 'ERROR',
    ref: open.decisionSeq,
    data: {
      shim: open.shimId,
      call: { call_id: open.callId, args_hash: open.argsHash },
      status: 'ERROR',
      latency_ms: Math.max(0, ts - open.startedMs),
      bytes_out: 0,
      preview: { truncated: false },
      error: { class: 'unknown', message, code: 'interrupted', retryable: false },
    },
  };
}
