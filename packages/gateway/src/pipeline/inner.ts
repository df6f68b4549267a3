import { isSublError, type ActionName, type JsonObject, payloadText } from '@subluminal/core-types';
import type { Call } from './call.js';
import { enterRun } from './enter-run.js';
import { refuse, refuseFor, type Refusal } from './reply.js';
import { readAction } from './schema.js';
import type { Passed } from './steps.js';

/** A request that the gateway makes to itself on behalf of a run. */
export interface InnerRequest {
  readonly id: string;
  readonly action: ActionName;
  readonly payload: JsonObject;
}

/**
 * Stages 1 and 2 of a request of the gateway itself: its payload fits the schema, its caller may ask for the
 * action, and its run has room. There is nothing to verify: no frame has brought it.
 */
export function takeInner(call: Call, { id, action, payload }: InnerRequest): Passed | Refusal {
  call.requestId = id;
  call.named = action;
  try {
    call.read = readAction(action, payload, payloadText(payload));
  } catch (error) {
    if (isSublError(error)) return refuseFor(error);
    throw error;
  }
  const { kind } = call.caller;
  if (!call.read.definition.permitted.includes(kind))
    return refuse('not_permitted', `\`${kind}\` may not ask for \`${action}\``);
  return enterRun(call);
}
