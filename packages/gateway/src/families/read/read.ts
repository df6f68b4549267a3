import type { JsonValue } from '@subluminal/core-types';
import type { Call } from '../../pipeline/call.js';
import { success } from '../../pipeline/reply.js';
import type { Action } from '../../pipeline/steps.js';
import { REACHES_NOTHING } from '../reaches-nothing.js';

/** An action that shows state. It changes nothing, so only its refusal is recorded. */
export function read<P>(show: (payload: P, call: Call) => JsonValue | Promise<JsonValue>): Action<P> {
  return (call, payload) => ({
    ...REACHES_NOTHING,
    whenStopped: 'served',
    whenFull: 'served',
    result: 'none',
    record: 'nothing',
    execute: () => {
      const shown = show(payload, call);
      return shown instanceof Promise ? shown.then(success) : success(shown);
    },
  });
}
