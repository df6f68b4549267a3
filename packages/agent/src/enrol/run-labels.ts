import type { ClientName, EnvName, Workload } from '@subluminal/core-types';

/**
 * How a run that nobody attests is labelled. Labels only: a repository's config can set all of it, so no rule
 * trusts it.
 */
export interface RunLabels {
  readonly agentId: string;
  readonly client: ClientName;
  readonly env: EnvName;
  readonly principal: string;
  readonly workload: Workload;
  /** `SUB_RUN_ID`: a run that the client claims to be in, although it has no ticket for it. */
  readonly claimedRunId: string | undefined;
}
