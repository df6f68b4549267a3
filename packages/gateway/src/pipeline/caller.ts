import type { CallerKind } from '@subluminal/core-types';
import type { Run, RunSession } from '../runs/run.js';

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
  /** The connection itself, for what it is told without asking; undefined if nothing can be told. */
  session: RunSession | undefined;
}

/** The run that a caller's entries belong to; null for entries of the gateway itself. */
export function runIdOf(caller: Caller): string | null {
  return caller.run?.id ?? null;
}
