import type { Clock } from '../base/clock.js';
import { policyData } from '../policy/policy-data.js';
import type { Recorder } from '../recording/recorder.js';
import type { RunRegistry } from './registry.js';
import type { PolicyHolder } from '../policy/holder.js';

export interface TellRunsParts {
  readonly policy: Pick<PolicyHolder, 'current' | 'onChange'>;
  readonly registry: Pick<RunRegistry, 'all'>;
  readonly recorder: Pick<Recorder, 'note'>;
  readonly clock: Clock;
}

/**
 * Records in each live run that another policy of the home decides from now on, so that a reader of one run
 * alone (its events, its bundle) learns of it. `known` is the hash of the policy that the runs began or went
 * on with. Returns the function that ends it.
 */
export function tellRunsOfPolicy(
  { policy, registry, recorder, clock }: TellRunsParts,
  known: string,
): () => void {
  let last = known;
  const tell = (): void => {
    const { ref, snapshot } = policy.current;
    if (ref.policy_hash === last) return;
    last = ref.policy_hash;
    const data = { policy: { ...policyData(ref), mode: snapshot.mode }, source: 'home' };
    for (const run of registry.all()) {
      // One by one: a run that ends meanwhile keeps nothing from the others.
      if (run.state === 'live')
        recorder.note({ entries: [{ type: 'policy_loaded', ts: clock(), runId: run.id, data }] });
    }
  };
  tell();
  return policy.onChange(tell);
}
