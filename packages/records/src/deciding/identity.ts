import { valueAt, ClientName, EnvName, textAt, Workload, type JsonObject } from '@subluminal/core-types';
import type { PolicyIdentity } from '@subluminal/policy';

/** The identity of a run's calls, from the data of its `run_start`: selectors compare it. */
export function identityOf(start: JsonObject): PolicyIdentity {
  const client = ClientName.safeParse(valueAt(start, 'client'));
  const env = EnvName.safeParse(valueAt(start, 'env'));
  const workload = Workload.safeParse(valueAt(start, 'workload'));
  return {
    agent_id: textAt(start, 'agent_id'),
    client: client.data ?? 'unknown',
    env: env.data ?? 'unknown',
    ...(workload.data === undefined ? {} : { workload: workload.data }),
  };
}
