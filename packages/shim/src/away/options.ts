import type { Credential, ProcessIdentity } from '@subluminal/core-types';

/** The shim that stands in for the gateway while it is away. */
export interface AwayOptions {
  /** `run/away/<run id>` in the home. */
  readonly folder: string;
  readonly runId: string;
  /** The file that stands there while everything is stopped. */
  readonly panicMark: string;
  readonly shimId: string;
  readonly serverName: string;
  readonly credential: Credential;
  readonly owner: ProcessIdentity;
  readonly clock: () => number;
  /** Milliseconds of a clock that only goes forward. */
  readonly monotonic: () => number;
  readonly log: (line: string) => void;
  /** Tells whether a text holds what may stand in no file. */
  readonly holdsSecret?: (text: string) => boolean;
}
