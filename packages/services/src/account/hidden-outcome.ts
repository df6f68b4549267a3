import { exactMask, maskedObject, type HiddenValue } from '@subluminal/core-types';
import type { ServiceOutcome } from '../action/service-adapter.js';

/**
 * Takes the secrets of an account out of what its service said: nobody who asks for its data may learn them.
 * Only whole secrets are taken out, since a caller may have written a guess there. Adapters that cut texts
 * use `hiddenBody` first. A redirect is the caller's own request at another address; the adapter that follows
 * it checks that address.
 */
export function hiddenOutcome<P>(
  outcome: ServiceOutcome<P>,
  values: readonly HiddenValue[],
): ServiceOutcome<P> {
  const mask = exactMask(values, { cut: false });
  if (mask === undefined || outcome.kind === 'redirect') return outcome;
  if (outcome.kind === 'success') return { ...outcome, data: maskedObject(outcome.data, mask) };
  const { data, message, help, ...rest } = outcome;
  return {
    ...rest,
    message: mask(message),
    ...(help === undefined ? {} : { help: mask(help) }),
    ...(data === undefined ? {} : { data: maskedObject(data, mask) }),
  };
}
