import { sightOf, signalsWithout } from '@subluminal/plane';

/** How far the work of a client is seen. */
export interface PlaneCoverage {
  readonly client: string;
  /** The client whose hooks tell of it; undefined for messages alone. */
  readonly hooksOf: string | undefined;
  readonly name: string;
  /** Signals that do not look, since the client does not show what they need. */
  readonly off: readonly string[];
  readonly takesContext: boolean;
}

const CLIENTS: readonly (readonly [string, string | undefined, string])[] = [
  ['claude_hook', 'claude', 'Claude Code, by its hooks'],
  ['codex_hook', 'codex', 'Codex, by its hooks'],
  ['run', undefined, 'others, by messages'],
];

/** Each way in which an agent is seen, the most telling first. Codex shows no failure of a command. */
export function planeCoverage(): readonly PlaneCoverage[] {
  return CLIENTS.map(([client, hooksOf, name]) => {
    const { takesContext, telemetry } = sightOf(client);
    const off = signalsWithout(telemetry);
    const all = telemetry.includes('status') ? off : [...off, 'failures'];
    return { client, hooksOf, name, off: all, takesContext };
  });
}

/** The same of one client, by the name that it has in `sub hooks`. */
export function planeCoverageOf(hooksOf: string): PlaneCoverage | undefined {
  return planeCoverage().find((one) => one.hooksOf === hooksOf);
}

/** The same in words. */
export function coverageText({ off, takesContext }: PlaneCoverage): string {
  const sees = off.length === 0 ? 'every signal' : `no ${off.join(', no ')}`;
  return `${sees}${takesContext ? '' : '; no place for a steer'}`;
}
