import { redact } from '@subluminal/core-types';
import { success } from '../../pipeline/reply.js';
import type { ActionOf } from '../../pipeline/steps.js';
import { BEGINS, life } from './life.js';
import { toldBy, type ToldParts } from './secrets-told.js';

/**
 * `secrets.held`: a shim tells a gateway that was started since of its server's secrets. They are the same,
 * or none of them is taken.
 */
export function secretsHeld(parts: ToldParts): ActionOf<'secrets.held'> {
  return life(BEGINS, (call, payload) => ({
    record: () => {
      const told = toldBy(parts, call, payload, false);
      if ('error' in told) return told;
      // A connection that was lost changes nothing.
      if (!told.isNews) return 'own';
      const secrets = told.known.map(({ facts: { inject_as, secret_ref, source } }) => ({
        inject_as,
        secret_ref: redact(secret_ref).text,
        source,
      }));
      const data = { req: call.requestFields, secrets, shim_id: payload.shim_id };
      return [{ type: 'secrets_told', ts: call.now, runId: call.runId, data }];
    },
    execute: () => success({}),
  }));
}
