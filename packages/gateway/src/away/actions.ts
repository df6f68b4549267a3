import type { ActionHandler } from '../pipeline/handlers.js';
import type { PipelineCall } from '../pipeline/call.js';
import { payloadOf } from '../pipeline/payload.js';
import { refuse, success, type Outcome } from '../pipeline/reply.js';
import { requestFields } from '../pipeline/entries.js';
import type { Run } from '../runs/run.js';
import type { SpoolFolder } from './folder.js';
import type { Ingested, Ingestion } from './ingest.js';
import { SpoolPace } from './pace.js';
import type { Snapshots } from './snapshots.js';
import type { SpoolSweep } from './sweep.js';

/** What the actions of shims that were away, or may be, work with. */
export interface AwayParts {
  readonly snapshots: Snapshots;
  readonly ingestion: Ingestion;
  readonly sweep: SpoolSweep;
  readonly folder: SpoolFolder;
}

/** `upstream.begin`, after which its shim is given a snapshot wherever the policy wants it. */
export function handingSnapshots(parts: AwayParts, handler: ActionHandler): ActionHandler {
  return {
    ...handler,
    execute: async (call) => {
      const outcome = await handler.execute(call);
      if (outcome.status === 'success') attach(parts, call, payloadOf(call, 'upstream.begin'));
      return outcome;
    },
  };
}

/** An action after which other tools may be called than before, told to the shims of their servers. */
export function tellingOfTools(parts: AwayParts, handler: ActionHandler): ActionHandler {
  return {
    ...handler,
    execute: async (call) => {
      const outcome = await handler.execute(call);
      const { server_name: server } = call.read.payload;
      if (typeof server === 'string') parts.snapshots.toolsChanged(server);
      return outcome;
    },
  };
}

/**
 * `spool.ingest`: a shim is back. What it did while it was alone is recorded and charged before it gets a new snapshot, and
 * before the next of its calls is decided.
 */
export function spoolIngest(parts: AwayParts): ActionHandler {
  const pace = new SpoolPace();
  return {
    entries: () => 'own',
    execute: async (call) => {
      const { shim_id, server_name: server, spool } = payloadOf(call, 'spool.ingest');
      const run = runOf(call);
      let outcome: Outcome = success({ outcome: 'none' });
      if (spool !== undefined) {
        if (!pace.take(run, call.now)) return refuse('overloaded', 'the run brings spools too fast');
        const { text, ...claim } = spool;
        const request = requestFields(call);
        const brought = { text, server, claim, owner: undefined, from: 'shim', request } as const;
        const ingested = await parts.ingestion.ingest(run, brought);
        if (ingested.outcome === 'refused') pace.refused(run);
        outcome = answerTo(ingested);
      }
      attach(parts, call, { shim_id, server_name: server });
      return outcome;
    },
  };
}

function attach(
  { snapshots, sweep }: AwayParts,
  call: PipelineCall,
  shim: { readonly shim_id: string; readonly server_name: string },
): void {
  const { session } = call.caller;
  if (session === undefined) return;
  const run = runOf(call);
  snapshots.attach(run, { session, shimId: shim.shim_id, serverName: shim.server_name });
  void sweep.ofRun(run, 'orphans');
}

function answerTo(ingested: Ingested): Outcome {
  switch (ingested.outcome) {
    case 'ingested':
      return success({ outcome: 'ingested', calls: ingested.calls });
    case 'replayed':
      return {
        status: 'error',
        error: { code: 'replayed', message: 'the spool was taken in before' },
        data: { outcome: 'replayed' },
      };
    case 'refused':
      return {
        status: 'error',
        error: { code: 'invalid_request', message: `the spool is not believed: \`${ingested.reason}\`` },
        data: { outcome: 'refused', reason: ingested.reason },
      };
  }
}

function runOf(call: PipelineCall): Run {
  const { run } = call.caller;
  if (run === undefined) throw new Error('a request without a run passed the capability check');
  return run;
}
