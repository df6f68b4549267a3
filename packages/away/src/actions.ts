import type { Call } from '@subluminal/gateway';
import { refuse, success, type Outcome } from '@subluminal/gateway';
import type { Action, ActionOf, Executed, Steps } from '@subluminal/gateway';
import { life, TELLS } from '@subluminal/gateway';
import type { SpoolFolder } from './folder.js';
import type { Ingested, Ingestion } from './ingest.js';
import { SpoolPace } from './pace.js';
import type { Snapshots } from './snapshots.js';
import type { SpoolSweep } from './sweep.js';

/** The parts that serve shims which were away, or may be. */
export interface AwayParts {
  readonly snapshots: Snapshots;
  readonly ingestion: Ingestion;
  readonly sweep: SpoolSweep;
  readonly folder: SpoolFolder;
}

/** `upstream.begin`, after which its shim is given a snapshot wherever the policy wants it. */
export function handingSnapshots(
  parts: AwayParts,
  begin: ActionOf<'upstream.begin'>,
): ActionOf<'upstream.begin'> {
  return followed(begin, (call, payload) => attach(parts, call, payload));
}

/** An action after which other tools may be called than before, told to the shims of their servers. */
export function tellingOfTools<P extends { readonly server_name: string }>(
  { snapshots }: AwayParts,
  action: Action<P>,
): Action<P> {
  return followed(action, (_call, { server_name: server }) => snapshots.toolsChanged(server));
}

/** The same action, with `then` called after it succeeded. */
function followed<P>(action: Action<P>, then: (call: Call, payload: P) => void): Action<P> {
  return (call, payload): Steps => {
    const steps = action(call, payload);
    const execute = async (): Promise<Executed> => {
      const executed = await steps.execute();
      if (executed !== 'again' && executed.status === 'success') then(call, payload);
      return executed;
    };
    return { ...steps, execute };
  };
}

/**
 * `spool.ingest`: a shim is back. What it did while it was alone is recorded and charged before it gets a new
 * snapshot, and before the next of its calls is decided.
 */
export function spoolIngest(parts: AwayParts): ActionOf<'spool.ingest'> {
  const pace = new SpoolPace();
  return life(TELLS, (call, { shim_id, server_name: server, spool }) => ({
    record: () => 'own',
    execute: async () => {
      const { run } = call;
      let outcome: Outcome = success({ outcome: 'none' });
      if (spool !== undefined) {
        if (!pace.take(run, call.now)) return refuse('overloaded', 'the run brings spools too fast');
        const { text, ...claim } = spool;
        const request = call.requestFields;
        const brought = { text, server, claim, owner: undefined, from: 'shim', request } as const;
        const ingested = await parts.ingestion.ingest(run, brought);
        if (ingested.outcome === 'refused') pace.refused(run);
        outcome = answerTo(ingested);
      }
      attach(parts, call, { shim_id, server_name: server });
      return outcome;
    },
  }));
}

function attach(
  { snapshots, sweep }: AwayParts,
  call: Call,
  shim: { readonly shim_id: string; readonly server_name: string },
): void {
  const { session } = call.caller;
  if (session === undefined) return;
  const { run } = call;
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
