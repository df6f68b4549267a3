import type { Decision } from '@subluminal/core-types';
import type { Waiver } from '../decide/waiver.js';
import type { PolicyIdentity } from '../match/call.js';
import type { NamedKeys, Readings } from '@subluminal/readings/facts';
import type { KnownArgs } from './known-args.js';

type Action = Decision['action'];

/** The result of a decision. */
export interface Ruling {
  readonly action: Action;
  readonly rule_id: string | null;
  readonly reason_code: string;
}

/** A call as it was recorded. */
export interface RecordedCall {
  readonly run_id: string;
  /** Names it in its run until its end: what `Replay.end` is given. */
  readonly ref: number;
  /** When it was decided. */
  readonly ts: number;
  readonly server_name: string;
  readonly tool_name: string;
  readonly args_hash: string;
  readonly call_id?: string;
  /** The call that it went on with. */
  readonly continues?: string | undefined;
  /** Asked for only where a rule looks at arguments. */
  readonly args: () => KnownArgs;
  /**
   * The objects of the call as a policy with these keys has them read, where they were kept. Asked for only
   * where a rule looks at them.
   */
  readonly readings: (keys: NamedKeys) => Readings | undefined;
  /** Classes that a server's own annotations added. */
  readonly raised: readonly string[];
  /** The rules that the operator had lifted for the run. */
  readonly waivers: readonly Waiver[];
  /** Its outcome. */
  readonly was: Ruling;
}

/** The identity that made the calls of a run; undefined where its beginning is not there. */
export type RunIdentity = PolicyIdentity | undefined;

/**
 * The kinds of answers of a policy to a recorded call. `newly_blocked`: it was let through, and would be
 * refused; `newly_allowed`: the other way round; `changed`: refused either way, in another way;
 * `not_reached`: the run would have been ended before.
 */
export type ReplayVerdict =
  | 'same'
  | 'newly_blocked'
  | 'newly_allowed'
  | 'changed'
  | 'not_reached'
  | 'unknown';

/**
 * Why it cannot be told. `arguments`: rules look at arguments that were not kept; `limit`: a limit counted
 * such a call before; `run`: such a call may have ended the run; `beginning`: the record of the run does not
 * go back to its start.
 */
export type UnknownBecause = 'arguments' | 'limit' | 'run' | 'beginning';

/** The answer of a policy to one recorded call. */
export interface Replayed {
  readonly verdict: ReplayVerdict;
  /** The enforced decision; null where the call is not reached, or not known. */
  readonly now: (Ruling & { readonly summary: string }) | null;
  /** The rules' decision, where the mode enforces less: in observe mode. */
  readonly would: Ruling | null;
  readonly because?: UnknownBecause;
  /** The arguments that were not kept, where they are why. */
  readonly missing?: readonly string[];
}
