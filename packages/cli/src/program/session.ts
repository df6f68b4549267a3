import type { Environment } from '../env.js';
import type { Output } from '../output/output.js';

/** What every verb gets: where to print, what was set around it, and the clock. */
export interface Session {
  readonly output: Output;
  readonly environment: Environment;
  readonly cwd: string;
  /** The program that is the gateway. It is started, never imported. */
  readonly gatewayProgram: string;
  /** Epoch milliseconds. */
  readonly now: () => number;
}
