import type { CredentialKind } from '@subluminal/core-types';
import type { Run } from '../runs/run.js';
import type { RecentIds } from './recent-ids.js';

/** Who asks, as the handshake showed it: nothing in a request can change it. */
export interface Caller {
  readonly kind: CredentialKind;
  /** `operator`, `enrol` or the run's id: what a request must name as its source. */
  readonly source: string;
  /** The caller's run; undefined for operator and enrol. */
  readonly run: Run | undefined;
  /** Request ids that this connection has used. */
  readonly recent: RecentIds;
}

/** The run that a caller's entries belong to; null for entries of the gateway itself. */
export function runIdOf(caller: Caller): string | null {
  return caller.run?.id ?? null;
}
