import type { ActionName, PayloadOf } from '@subluminal/core-types';
import type { PipelineCall } from './call.js';

/**
 * The payload of a call whose action is one of `actions`, under the type of its schema: the schema stage has read it with
 * that schema. A handler that was wired to another action fails here, and not later on a field that is missing.
 */
export function payloadOf<A extends ActionName>(call: PipelineCall, ...actions: readonly A[]): PayloadOf<A> {
  const { action, payload } = call.read;
  if (!actions.some((one) => one === action))
    throw new Error(`\`${action}\` reached a handler of another action`);
  return payload as PayloadOf<A>;
}
