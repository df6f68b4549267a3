import type { Environment } from './env.js';
import type { Output } from '../output/output.js';

/** The surroundings of every verb: its output, the environment, and the clock. */
export interface Session {
  readonly output: Output;
  readonly environment: Environment;
  readonly cwd: string;
  /** The program that is the gateway. It is started, never imported. */
  readonly gatewayProgram: string;
  /** `sub` itself, as the configurations of clients name it: `sub.mjs`. */
  readonly program: string;
  /** The folder of the policies that `sub policy init` writes. */
  readonly starterPolicies: string;
  /** Epoch milliseconds. */
  readonly now: () => number;
}
