import {
  exactMask,
  isJsonObject,
  type HiddenValue,
  type JsonObject,
  type JsonValue,
} from '@subluminal/core-types';
import type { ServiceOutcome } from '../service-adapter.js';

type Mask = (text: string) => string;

/** Takes the secrets of an account out of what its service said: nobody who asks for its data is to learn them. */
export function hiddenOutcome(outcome: ServiceOutcome, values: readonly HiddenValue[]): ServiceOutcome {
  const mask = exactMask(values);
  if (mask === undefined) return outcome;
  if (outcome.kind === 'redirect') return { ...outcome, next: hiddenObject(outcome.next, mask) };
  if (outcome.kind === 'success') return { ...outcome, data: hiddenObject(outcome.data, mask) };
  const { data, message, ...rest } = outcome;
  return {
    ...rest,
    message: mask(message),
    ...(data === undefined ? {} : { data: hiddenObject(data, mask) }),
  };
}

function hiddenObject(value: JsonObject, mask: Mask): JsonObject {
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [mask(key), hidden(item, mask)]));
}

function hidden(value: JsonValue, mask: Mask): JsonValue {
  if (typeof value === 'string') return mask(value);
  if (Array.isArray(value)) return value.map((item: JsonValue) => hidden(item, mask));
  return isJsonObject(value) ? hiddenObject(value, mask) : value;
}
