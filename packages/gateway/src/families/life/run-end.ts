import { redact, SublError, type RunEndPayload } from '@subluminal/core-types';
import type { LedgerReader } from '@subluminal/ledger';
import type { Call } from '../../pipeline/call.js';
import { success } from '../../pipeline/reply.js';
import type { ActionOf } from '../../pipeline/steps.js';
import type { RunLifecycle } from '../../runs/lifecycle.js';
import type { RunRegistry } from '../../runs/registry.js';
import type { Run } from '../../runs/run.js';
import { ENDS, life } from './life.js';

export interface RunEndParts {
  readonly registry: RunRegistry;
  readonly lifecycle: RunLifecycle;
  /** Reads the record of runs that are over. */
  readonly openReader: () => LedgerReader;
}

/**
 * `run.end`: a run ends itself, or the operator ends one. Its record is the `run_end` entry. For the
 * operator, a run that a rule or a panic has ended before counts as ended: the answer says how it ended, and
 * nothing is recorded twice.
 */
export function runEnd(parts: RunEndParts): ActionOf<'run.end'> {
  return life(ENDS, (call, payload) => ({
    record: () => 'own',
    execute: async () => {
      const over = await statusOfOver(parts, call, payload);
      if (over !== undefined) return success({ run_id: payload.run_id ?? '', status: over, was_over: true });
      const run = runToEnd(parts.registry, call, payload);
      // This request is under way in its own run: it must not wait for itself.
      call.finish();
      await parts.lifecycle.end(run, {
        status: payload.status,
        cause: 'requested',
        message: payload.message === undefined ? undefined : redact(payload.message).text,
      });
      return success({ run_id: run.id, status: payload.status });
    },
  }));
}

/** The recorded status of a run that is over, or is ending now; undefined for any other. */
async function statusOfOver(
  { registry, lifecycle, openReader }: RunEndParts,
  { caller }: Call,
  { run_id: runId }: RunEndPayload,
): Promise<string | undefined> {
  if (caller.kind !== 'operator' || runId === undefined || registry.live(runId) !== undefined)
    return undefined;
  await lifecycle.ended(runId);
  const reader = openReader();
  try {
    const [last] = reader.byRun(runId, { limit: 1 }).rows;
    return last?.type === 'run_end' ? (last.code ?? '') : undefined;
  } finally {
    reader.close();
  }
}

function runToEnd(registry: RunRegistry, call: Call, payload: RunEndPayload): Run {
  const own = call.caller.run;
  if (own !== undefined) {
    if (payload.run_id !== undefined && payload.run_id !== own.id) {
      throw new SublError('not_permitted', 'a run can only end itself');
    }
    return own;
  }
  if (payload.run_id === undefined)
    throw new SublError('invalid_request', 'the operator names the run to end');
  const run = registry.live(payload.run_id);
  if (run === undefined) throw new SublError('not_found', `there is no live run \`${payload.run_id}\``);
  return run;
}
