import type { ActionOf } from '../../pipeline/steps.js';
import type { Run } from '../../runs/run.js';
import { read } from './read.js';

/** `run.read`: the part of a run that it may know itself. */
export const runRead: ActionOf<'run.read'> = read((_payload, { run }) => runData(run));

/** A run as answers show it. */
export function runData(run: Run): {
  readonly run_id: string;
  readonly agent_id: string;
  readonly client: string;
  readonly env: string;
  readonly attested: boolean;
  readonly state: string;
  readonly started_at: string;
  readonly holder: { readonly pid: number; readonly start: string };
  readonly open_calls: number;
  readonly counters: Readonly<Record<string, number>>;
} {
  const { agent_id, client, env } = run.identity;
  return {
    run_id: run.id,
    agent_id,
    client,
    env,
    attested: run.attested,
    state: run.state,
    started_at: new Date(run.startedMs).toISOString(),
    holder: { pid: run.holder.pid, start: run.holder.start },
    open_calls: run.openCalls.size,
    counters: { ...run.counters },
  };
}
