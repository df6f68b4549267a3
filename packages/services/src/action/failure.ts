import type { SublError } from '@subluminal/core-types';
import type { ServiceAnswer } from './service-adapter.js';

/** An expected failure as an outcome: its code, what happened, and what to do about it. */
export function failureOf({ code, message, help }: SublError): ServiceAnswer {
  return { kind: 'error', code, message, ...(help === undefined ? {} : { help }) };
}
