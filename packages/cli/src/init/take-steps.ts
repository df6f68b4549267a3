import { isSublError } from '@subluminal/core-types';
import type { ClientOutcome } from '../clients/command/import-lines.js';
import type { Call } from '../program/call.js';
import type { Asking } from './asking.js';
import type { Found } from './found.js';
import { gatewayStep } from './gateway-step.js';
import { hooksStep } from './hooks-step.js';
import { policyStep } from './policy-step.js';
import { serversStep } from './servers-step.js';
import { failed, skipped, type Step, type StepName } from './step.js';
import { startableIn, tryStep } from './try/try-step.js';

const NEW: ReadonlySet<string> = new Set(['routed']);
const ROUTED: ReadonlySet<string> = new Set([...NEW, 'already']);

export interface Taking {
  readonly call: Call;
  readonly found: Found;
  readonly asking: Asking;
  readonly skip: ReadonlySet<string>;
  readonly policy: string | undefined;
  /** Whether servers are tried that were routed before, too. */
  readonly tries: boolean;
  readonly signal: AbortSignal;
}

/**
 * Takes the steps in their order and tells each as it is over. Ends at one that failed and that the next ones
 * need: servers are not put behind a gateway that does not start. Throws the reason of `signal`.
 */
export async function* takeSteps(taking: Taking): AsyncGenerator<Step> {
  const { call, found, asking, skip, signal } = taking;
  const one = async (step: StepName, work: () => Promise<Step>): Promise<Step> => {
    signal.throwIfAborted();
    if (skip.has(step)) return skipped(step);
    try {
      return await work();
    } catch (error) {
      if (isSublError(error)) return failed(step, error);
      throw error;
    }
  };
  const policy = await one('policy', () => policyStep(call, found, asking, taking.policy, signal));
  yield policy;
  if (policy.outcome === 'failed') return;
  const gateway = await one('gateway', () => gatewayStep(call, found, asking));
  yield gateway;
  if (gateway.outcome === 'failed') return;
  if (gateway.outcome === 'skipped') {
    for (const step of ['servers', 'hooks', 'try'] as const)
      yield skipped(step, 'skipped, as the gateway is');
    return;
  }
  let outcomes: readonly ClientOutcome[] = [];
  const servers = await one('servers', async () => {
    const done = await serversStep(call, found, asking);
    outcomes = done.outcomes;
    return done.step;
  });
  yield servers;
  const hooks = await one('hooks', () => hooksStep(call, found, asking));
  yield hooks;
  const isNew = taking.tries || [servers, hooks].some(({ outcome }) => outcome === 'done');
  // Files of a project are not looked at: what they start is other people's word.
  const toTry = (): ReturnType<typeof startableIn> =>
    taking.tries
      ? found.clients.flatMap((client) =>
          startableIn({ ...client.outcome, files: client.files }, found, ROUTED),
        )
      : outcomes.flatMap((outcome) => startableIn(outcome, found, NEW));
  yield await one('try', () =>
    isNew
      ? tryStep(call, found, toTry(), asking, signal)
      : Promise.resolve({
          step: 'try',
          outcome: 'already',
          says: ['nothing is new: `sub init --try` starts each server again'],
        }),
  );
}
