import {
  DEFAULT_SETTINGS,
  fold,
  type FormFit,
  type PlaneEntry,
  type PlaneSettings,
  type PlaneState,
  sightOf,
  startOfState,
} from '@subluminal/plane';
import type { LedgerRow } from '@subluminal/ledger';
import type { ClientSession } from '@subluminal/records';
import { agentEventOf, viaOf } from './session-events.js';

/** An entry of the plane, of which agent of the session, and when. */
export interface FoldedEntry {
  /** Empty for the agent of the session itself. */
  readonly agent: string;
  readonly atMs: number;
  readonly entry: PlaneEntry;
}

/** Agents of a session that are followed; the others are left out. */
const MAX_AGENTS = 256;

/**
 * Folds what the record with that id has of a session, each agent of it for itself. Nothing is steered, and
 * nothing is written. `formFit`: how a call fits the form of a checkpoint.
 */
export function* foldSession(
  { session, steps }: ClientSession,
  ledgerId: string,
  formFit: (first: LedgerRow) => FormFit | undefined,
): Generator<FoldedEntry> {
  const states = new Map<string, PlaneState>();
  for (const step of steps) {
    const found = agentEventOf(step, formFit);
    if (found === undefined) continue;
    const { agent, cwd, event } = found;
    const client = viaOf(step);
    const known = states.get(agent);
    if (known === undefined && states.size >= MAX_AGENTS) continue;
    const state = known ?? startOfState({ client, session, repository: cwd, agent }, ledgerId);
    const folded = fold(state, event, settingsOf(client));
    states.set(agent, folded.state);
    for (const entry of folded.entries) yield { agent, atMs: folded.state.nowMs, entry };
  }
}

function settingsOf(client: string): PlaneSettings {
  return { ...DEFAULT_SETTINGS, telemetry: sightOf(client).telemetry };
}
