import type { HiddenValue } from '@subluminal/core-types';
import { hiddenOutcome } from '../account/hidden-outcome.js';
import type { ServiceOutcome } from '@subluminal/gateway';

/** The rest of what is answered. A redirect that carries the credential to where it leads is none. */
export function withoutCredential(outcome: ServiceOutcome, values: readonly HiddenValue[]): ServiceOutcome {
  const hidden = hiddenOutcome(outcome, values);
  if (outcome.kind !== 'redirect' || hidden.kind !== 'redirect') return hidden;
  const same = JSON.stringify(hidden.next['endpoint']) === JSON.stringify(outcome.next['endpoint']);
  if (same) return outcome;
  return {
    kind: 'error',
    code: 'adapter_failed',
    message: 'the service redirects to an address with the credential in it',
  };
}
