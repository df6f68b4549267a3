import {
  valueAt,
  isSublError,
  listAt,
  SublError,
  textAt,
  type JsonObject,
  type JsonValue,
  type RunStatus,
  type Ticket,
} from '@subluminal/core-types';
import {
  credentialOf,
  ownIdentity,
  readProxyTold,
  removeTicket,
  writeTicket,
  type HomePaths,
  type ProxyTold,
} from '@subluminal/ipc';
import type { RunIdentity } from './identity.js';
import { askPatiently } from './patience.js';
import type { GivenPolicy } from './policy.js';

/** A run that this process has opened; the gateway ends it when this process is gone. */
export interface HeldRun {
  readonly ticket: Ticket;
  /** Undefined where the gateway has no proxy. */
  readonly proxy: ProxyTold | undefined;
  /** Why the policy file is not what decides; empty where it is. */
  readonly policyRemark: string;
  /** The policy files of projects that its beginning has found. */
  readonly projects: readonly JsonObject[];
  /**
   * Ends the run, and removes its ticket. `was_over`: a rule, the operator, or the run itself has ended it
   * before.
   */
  end(status: RunStatus): Promise<'ended' | 'was_over'>;
}

export interface RunRequest {
  readonly identity: RunIdentity;
  /** It fails closed: nothing is decided without the gateway. */
  readonly strict: boolean;
  /** The operator gave the name of the agent themselves. */
  readonly isNamed: boolean;
  /** The policy that narrows that of the home. Undefined for none. */
  readonly policy: GivenPolicy | undefined;
  /**
   * The run that the environment names, though this process is not inside of it: who detached itself may have
   * left it.
   */
  readonly claimedRunId: string | undefined;
  /** The operator's own notes on the run; undefined for none. */
  readonly meta: Readonly<Record<string, string>> | undefined;
}

/**
 * Opens a run with the operator key and writes the ticket of this process, so that whatever it starts finds
 * the run. Errors: those of the gateway; `failed` when this process has a ticket already.
 */
export async function holdRun(
  home: HomePaths,
  { identity, isNamed, strict, policy, claimedRunId, meta }: RunRequest,
  clock: () => number,
): Promise<HeldRun> {
  const holder = ownIdentity();
  const opened = await begin(home, clock, {
    agent_id: identity.agentId,
    client: identity.client,
    env: identity.env,
    holder,
    principal: identity.principal,
    workload: identity.workload,
    ...(strict ? { strict } : {}),
    ...(isNamed ? { named: true } : {}),
    ...(claimedRunId === undefined ? {} : { claimed_run_id: claimedRunId }),
    ...(meta === undefined ? {} : { meta }),
    ...(policy === undefined ? {} : { policy: { text: policy.text, format: policy.format } }),
  });
  const runId = textAt(opened, 'run_id');
  const credential = credentialOf(valueAt(opened, 'credential'));
  if (credential === undefined || credential.id !== runId) {
    throw new SublError('failed', 'the gateway opened a run but gave no key for it');
  }
  if (policy !== undefined && textAt(opened, 'run_policy', 'policy_hash') !== policy.hash) {
    await askPatiently(home, clock, 'run.end', { run_id: runId, status: 'CANCELLED' });
    throw new SublError('failed', 'the gateway did not take the policy of the run', {
      help: 'restart it: `sub down`, then the same command again',
    });
  }
  const ticket: Ticket = {
    v: 1,
    run_id: runId,
    agent_id: identity.agentId,
    client: identity.client,
    env: identity.env,
    attested: true,
    credential,
  };
  if (!writeTicket(home, holder, ticket)) {
    throw new SublError('failed', 'this process holds a run already');
  }
  return {
    ticket,
    proxy: readProxyTold(opened),
    policyRemark: textAt(opened, 'policy_remark'),
    projects: listAt(opened, 'projects'),
    async end(status) {
      try {
        const end = await askPatiently(home, clock, 'run.end', { run_id: runId, status });
        // Somebody was first; what was recorded then stands.
        return valueAt(end, 'was_over') === true ? 'was_over' : 'ended';
      } finally {
        removeTicket(home, holder);
      }
    },
  };
}

/** Outside of every run, where the operator reads it: the way out of a panic is named. */
async function begin(
  home: HomePaths,
  clock: () => number,
  payload: Readonly<Record<string, unknown>>,
): Promise<JsonValue> {
  try {
    return await askPatiently(home, clock, 'run.begin', payload);
  } catch (error) {
    if (!isSublError(error, 'panicked')) throw error;
    const help = '`sub status` says since when and why, `sub resume` lets runs begin again';
    throw new SublError('panicked', error.message, { help, cause: error });
  }
}
