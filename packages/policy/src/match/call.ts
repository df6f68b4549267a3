import type { Readings } from '@subluminal/readings/facts';
import type { ClientName, EnvName, JsonObject, Workload } from '@subluminal/core-types';

/** The asker as the gateway knows it, never as the agent says of itself. */
export interface PolicyIdentity {
  readonly agent_id: string;
  readonly client: ClientName;
  readonly env: EnvName;
  readonly workload?: Workload | undefined;
}

/** One call to decide. */
export interface PolicyCall {
  readonly server_name: string;
  readonly tool_name: string;
  /** The arguments, out of `parseJson`; undefined when they were too large to inspect. */
  readonly args: JsonObject | undefined;
  /** All top-level keys of arguments that were not inspected, where they are known. */
  readonly arg_keys?: readonly string[] | undefined;
  /**
   * The hash of the arguments, or of the bytes of what was too large to inspect: the same call has the same.
   */
  readonly args_hash: string;
  /** Risk classes that the tool's own annotations add. They count as tags from the start. */
  readonly raised?: readonly string[] | undefined;
  readonly identity: PolicyIdentity;
  /** The objects that the arguments name; undefined where they were not read. */
  readonly readings?: Readings | undefined;
}
