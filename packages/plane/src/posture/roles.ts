import type { Role } from './modes.js';

/** Whose call it is, as far as that is proved and told. */
export interface Acting {
  /** How the client is seen, as in `Identity`. */
  readonly client: string;
  /** The name of the run's agent, if the operator opened the run and gave the name; else undefined. */
  readonly agent: string | undefined;
  /** It is a subagent. */
  readonly isSubagent: boolean;
  /** The type of a subagent, as its client tells it; empty for none. */
  readonly type: string;
}

const CLIENTS: ReadonlyMap<string, string> = new Map([
  ['claude_hook', 'claude'],
  ['codex_hook', 'codex'],
]);

/**
 * The role of who acts. A director is one whom the operator names (`claude:AGENT`, and `claude:AGENT/TYPE`
 * for its subagents of that type) in a run that the operator opened. An agent's own name proves nothing.
 */
export function roleOf(directors: readonly string[], { agent, client, isSubagent, type }: Acting): Role {
  const name = CLIENTS.get(client);
  if (name === undefined || agent === undefined || agent.includes('/') || (isSubagent && type === ''))
    return 'worker';
  return directors.includes(isSubagent ? `${name}:${agent}/${type}` : `${name}:${agent}`)
    ? 'director'
    : 'worker';
}
