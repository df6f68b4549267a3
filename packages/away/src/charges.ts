import type { Decision, JsonObject, JsonValue } from '@subluminal/core-types';
import { chargeData, decide, type Charge, type PolicyCall, type Waiver } from '@subluminal/policy';
import { decisionData } from '@subluminal/gateway';
import { shownHint } from '@subluminal/gateway';
import { decisionFacts } from '@subluminal/gateway';
import type { PolicyHolder } from '@subluminal/gateway';
import type { Run } from '@subluminal/gateway';
import type { KnownTools } from '@subluminal/gateway';
import type { BeginBody } from './spool-form.js';

/** What a spooled call costs, and what the policy that is loaded now says of it where that is not ALLOW. */
export interface SpoolCharge {
  readonly charge: Charge;
  /** The `facts` of its decision; undefined for none. */
  readonly facts: JsonObject | undefined;
  readonly now: JsonObject | undefined;
}

/**
 * Charges what happened already: by the policy that is loaded now, whatever it decides. Each rule is
 * overridden, so that a limit which is used up is charged beyond its end instead of not at all.
 */
export class SpoolCharges {
  readonly #policy: PolicyHolder;
  readonly #tools: Pick<KnownTools, 'of'>;

  constructor(policy: PolicyHolder, tools: Pick<KnownTools, 'of'>) {
    this.#policy = policy;
    this.#tools = tools;
  }

  /** `under`: the hash of the policy whose arguments the spool kept; undefined where that cannot be told. */
  charge(
    run: Run,
    spooled: { readonly server: string; readonly under: string | undefined },
    begin: BeginBody,
    now: number,
  ): SpoolCharge {
    const { server, under } = spooled;
    const { snapshot } = this.#policy.current;
    const { args, args_hash, tool_name } = begin;
    const { raised } = this.#tools.of(server, tool_name, null);
    const call = { server_name: server, tool_name, args, args_hash, identity: run.identity, raised };
    const unseen = { ...call, args: undefined };
    const waivers = snapshot.rules.map(({ rule_id }): Waiver => {
      return { rule_id, server_name: server, tool_name, args_hash: null };
    });
    const chargeOf = (one: PolicyCall): Charge =>
      decide(snapshot, run.limits.state, one, now, { waivers }).charge;
    const isSame = under === snapshot.policy_hash;
    const { decision } = decide(snapshot, run.limits.state, call, now);
    const charge = isSame ? chargeOf(call) : joined(chargeOf(call), chargeOf(unseen));
    run.limits.charge(begin.call_id, charge, now);
    const facts = decisionFacts(snapshot.argKeys, { charge, call: isSame ? call : unseen, waivers: [] });
    return {
      charge,
      facts,
      now: decision.action === 'ALLOW' ? undefined : shownDecision(decision),
    };
  }

  /** As entries hold it; undefined where nothing was charged. */
  dataOf(charge: Charge): JsonValue | undefined {
    return charge.length === 0 ? undefined : chargeData(charge);
  }
}

/** What arguments that the spool does not hold may cost besides: every limit that looks at one of them. */
function joined(seen: Charge, unseen: Charge): Charge {
  const rules = new Set(seen.map(({ rule_id }) => rule_id));
  return [...seen, ...unseen.filter(({ rule_id }) => !rules.has(rule_id))];
}

/** A decision as an entry holds it. */
function shownDecision(decision: Decision): JsonObject {
  const { hint } = decision;
  return decisionData(hint === undefined ? decision : { ...decision, hint: shownHint(hint) });
}
