import { type AgentPast, MIN_RUNS } from './agent-past.js';
import type { Finding } from '@subluminal/gateway';

/** Who uses what. `key` is the agent in the store, `name` as it is shown. */
export interface Use {
  readonly key: string;
  readonly name: string;
  readonly host: string;
  readonly verb: 'connection' | 'request';
}

/** What was found, and that it was found of the agent and not of the host: then once a run is enough. */
export interface NewForAgent {
  readonly finding: Finding;
  readonly ofAgent: boolean;
}

/**
 * That an agent uses a host which others here have used and it never did. One that has fewer than three runs
 * behind it has nothing to be compared with: then that is what is found, where others do have.
 */
export function newForAgent(past: AgentPast, { key, name, host, verb }: Use): NewForAgent | undefined {
  if (past.firstUse(key, host) !== undefined) return undefined;
  const runs = past.runs(key);
  if (runs >= MIN_RUNS) {
    const summary = `first ${verb} of \`${name}\` to \`${host}\` in ${runs} runs; others here have used it`;
    return {
      ofAgent: false,
      finding: { kind: 'new_for_agent', summary, facts: { agent: name, host, runs } },
    };
  }
  if (past.runsOfOthers(key) < MIN_RUNS) return undefined;
  const summary = `\`${name}\` has ${runs === 0 ? 'no run' : runs === 1 ? 'one run' : `${runs} runs`} behind it: what it does cannot be compared with its past`;
  return { ofAgent: true, finding: { kind: 'new_for_agent', summary, facts: { agent: name, runs } } };
}
