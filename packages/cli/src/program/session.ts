import type { Environment } from '../env.js';
import type { Output } from '../output/output.js';

/** What every verb gets: where to print, what was set around it, and the clock. */
export interface Session {
  readonly output: Output;
  readonly environment: Environment;
  readonly cwd: string;
  /** Epoch milliseconds. */
  readonly now: () => number;
}
