import { refuse, success } from '../../pipeline/reply.js';
import type { ActionOf } from '../../pipeline/steps.js';
import { BEGINS, life } from './life.js';
import { injection, toldBy, type ToldParts } from './secrets-told.js';

/**
 * `secrets.injected`: the shim tells of the secrets that it reads itself. Their values are taken from it
 * once.
 */
export function secretsInjected(parts: ToldParts): ActionOf<'secrets.injected'> {
  return life(BEGINS, (call, payload) => ({
    record: () => {
      const told = toldBy(parts, call, payload, true);
      if ('error' in told) return told;
      if (told.known.length === 0) return refuse('invalid_request', 'nothing was injected');
      return told.known.map(({ facts, value }) => injection(call, payload, facts, value !== undefined));
    },
    execute: () => success({}),
  }));
}
