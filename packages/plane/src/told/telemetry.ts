import type { Telemetry } from '../event.js';

/** The facts that a client shows. */
export interface ClientSight {
  readonly telemetry: readonly Telemetry[];
  /** It takes a text with the answer to an event. */
  readonly takesContext: boolean;
}

/** A call that nobody but its message tells of: no event of the client's life, and no place for a text. */
const MESSAGES: ClientSight = {
  telemetry: ['protection', 'status', 'target', 'time', 'tool'],
  takesContext: false,
};

/** Codex tells no status of a command. */
const CLIENTS: ReadonlyMap<string, ClientSight> = new Map([
  [
    'claude_hook',
    { telemetry: ['life', 'protection', 'status', 'target', 'time', 'tool'], takesContext: true },
  ],
  ['codex_hook', { telemetry: ['life', 'protection', 'target', 'time', 'tool'], takesContext: true }],
]);

/** The sight of a client whose calls are seen in that way. */
export function sightOf(client: string): ClientSight {
  return CLIENTS.get(client) ?? MESSAGES;
}
