import type { EntryInput } from '@subluminal/ledger';

/** The result of a pending action that nobody can report any more. */
export function interruptedEntry(pending: {
  readonly seq: number;
  readonly runId: string | null;
  readonly action: string;
  readonly requestId: string;
  readonly ts: number;
}): EntryInput {
  return {
    type: 'action_result',
    ts: pending.ts,
    runId: pending.runId,
    tool: pending.action,
    code: 'error',
    ref: pending.seq,
    data: {
      req: { id: pending.requestId },
      status: 'error',
      error: {
        code: 'interrupted',
        message: 'the action was pending when it was cut off; its effect is unknown',
      },
    },
  };
}
