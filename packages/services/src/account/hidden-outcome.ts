import { exactMask, maskedObject, type HiddenValue } from '@subluminal/core-types';
import type { ServiceOutcome } from '@subluminal/gateway';

/**
 * Takes the secrets of an account out of what its service said: nobody who asks for its data is to learn them. Whole ones alone,
 * since who asks may have written there what he guesses. What cuts texts does it with `hiddenBody` behind it.
 */
export function hiddenOutcome(outcome: ServiceOutcome, values: readonly HiddenValue[]): ServiceOutcome {
  const mask = exactMask(values, { cut: false });
  if (mask === undefined) return outcome;
  if (outcome.kind === 'redirect') return { ...outcome, next: maskedObject(outcome.next, mask) };
  if (outcome.kind === 'success') return { ...outcome, data: maskedObject(outcome.data, mask) };
  const { data, message, help, ...rest } = outcome;
  return {
    ...rest,
    message: mask(message),
    ...(help === undefined ? {} : { help: mask(help) }),
    ...(data === undefined ? {} : { data: maskedObject(data, mask) }),
  };
}
