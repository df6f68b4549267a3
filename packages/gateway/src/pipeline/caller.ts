import type { CallerKind, ProcessIdentity } from '@subluminal/core-types';
import type { Run, RunSession } from '../runs/run.js';

/** A world whose programs ask by a door of their own. */
export interface CallerWorld {
  readonly id: string;
  /** The process with which everything in the world ends. */
  readonly holder: ProcessIdentity;
}

/**
 * The asker as the handshake showed it, or the gateway itself (`InnerSession`). Nothing in a request can
 * change it.
 */
export interface Caller {
  readonly kind: CallerKind;
  /** `operator`, `enrol` or the run's id: what a request must name as its source. */
  readonly source: string;
  /** The caller's run; undefined for operator and enrol. */
  readonly run: Run | undefined;
  /** The world by whose door it came, where little may be asked for; undefined for every other one. */
  readonly world: CallerWorld | undefined;
  /** The connection itself, for what it is told without asking; undefined if nothing can be told. */
  session: RunSession | undefined;
}

/** The run that a caller's entries belong to; null for entries of the gateway itself. */
export function runIdOf(caller: Caller): string | null {
  return caller.run?.id ?? null;
}
