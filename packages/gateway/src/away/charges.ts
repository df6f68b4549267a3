import type { JsonObject, JsonValue } from '@subluminal/core-types';
import { chargeData, decide, type Charge, type Waiver } from '@subluminal/policy';
import { decisionData } from '../policy/judge.js';
import type { PolicyHolder } from '../policy/holder.js';
import type { Run } from '../runs/run.js';
import type { BeginBody } from './spool-form.js';

/** What a spooled call costs, and what the policy that is loaded now says of it where that is not ALLOW. */
export interface SpoolCharge {
  readonly charge: Charge;
  readonly now: JsonObject | undefined;
}

/**
 * Charges what happened already: by the policy that is loaded now, whatever it decides. Each rule is overridden, so that a
 * limit which is used up is charged beyond its end instead of not at all.
 */
export class SpoolCharges {
  readonly #policy: PolicyHolder;

  constructor(policy: PolicyHolder) {
    this.#policy = policy;
  }

  charge(run: Run, server: string, begin: BeginBody, now: number): SpoolCharge {
    const { snapshot } = this.#policy.current;
    const { args, args_hash, tool_name } = begin;
    const call = { server_name: server, tool_name, args, args_hash, identity: run.identity };
    const waivers = snapshot.rules.map(({ rule_id }): Waiver => {
      return { rule_id, server_name: server, tool_name, args_hash: null };
    });
    const { state } = run.limits;
    const { decision } = decide(snapshot, state, call, now);
    const { charge } = decide(snapshot, state, call, now, { waivers });
    run.limits.charge(begin.call_id, charge, now);
    return { charge, now: decision.action === 'ALLOW' ? undefined : decisionData(decision) };
  }

  /** As entries hold it; undefined where nothing was charged. */
  dataOf(charge: Charge): JsonValue | undefined {
    return charge.length === 0 ? undefined : chargeData(charge);
  }
}
