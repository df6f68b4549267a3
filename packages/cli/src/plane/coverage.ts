import { sightOf, signalsWithout } from '@subluminal/plane';

/** How far the work of a client is seen. */
export interface PlaneCoverage {
  readonly client: string;
  readonly name: string;
  /** Signals that do not look, since the client does not show what they need. */
  readonly off: readonly string[];
  readonly takesContext: boolean;
}

const CLIENTS: readonly (readonly [string, string])[] = [
  ['claude_hook', 'Claude Code, by its hooks'],
  ['codex_hook', 'Codex, by its hooks'],
  ['run', 'others, by messages'],
];

/** Each way in which an agent is seen, the most telling first. Codex shows no failure of a command. */
export function planeCoverage(): readonly PlaneCoverage[] {
  return CLIENTS.map(([client, name]) => {
    const { takesContext, telemetry } = sightOf(client);
    const off = signalsWithout(telemetry);
    return { client, name, off: telemetry.includes('status') ? off : [...off, 'failures'], takesContext };
  });
}
