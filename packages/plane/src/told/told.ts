import type { JsonObject } from '@subluminal/core-types';
import type { PlaneEvent } from '../event.js';

/** An entry of the record, as far as the plane reads it. */
export interface ToldEntry {
  readonly seq: number;
  /** Epoch milliseconds. */
  readonly ts: number;
  readonly tool?: readonly [string, string] | string | null | undefined;
  readonly data: JsonObject;
}

/** An event of one agent of a session. */
export interface AgentEvent {
  /** A subagent; empty for the agent of the session itself. */
  readonly agent: string;
  readonly event: PlaneEvent;
  /** The folder that the agent works in; empty where it is not told. */
  readonly cwd: string;
}
