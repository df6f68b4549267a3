import { canonicalize, isSublError, type JsonObject, type JsonValue } from '@subluminal/core-types';
import type { Call } from '../../pipeline/call.js';
import { pendingEntry } from '../../pipeline/entries.js';
import { success, type Outcome } from '../../pipeline/reply.js';
import type { Action } from '../../pipeline/steps.js';
import { REACHES_NOTHING } from '../reaches-nothing.js';

/** The longest canonical text of a change that an entry holds. */
const MAX_DETAIL = 8192;

/** Does what the operator asked for, and gives the answer. Expected failures are thrown as `SublError`s. */
export type Change<P, D extends JsonValue = JsonValue> = (payload: P, call: Call) => D | Promise<D>;

/**
 * An action of the operator. It is recorded as `action_pending` and `action_result`, and the result holds
 * what the action changed: whoever reads the ledger sees what was allowed. `shown`: the part of the answer
 * that the entry holds.
 */
export function operate<P, D extends JsonValue>(
  change: Change<P, D>,
  shown: (data: D) => JsonValue = (data) => data,
): Action<P> {
  return (call, payload) => ({
    ...REACHES_NOTHING,
    whenStopped: 'served',
    whenFull: 'served',
    result: 'now',
    record: () => [pendingEntry(call, call.now, {})],
    execute: () => outcomeOf(change, payload, call, (data) => detail(shown(data))),
  });
}

/** An action of the operator whose record `change` writes itself, before it changes anything. */
export function operateRecorded<P>(change: Change<P>): Action<P> {
  return (call, payload) => ({
    ...REACHES_NOTHING,
    whenStopped: 'served',
    whenFull: 'served',
    result: 'none',
    record: () => 'own',
    execute: () => outcomeOf(change, payload, call, () => ({})),
  });
}

/** A failure is an outcome like any other: its entry, where there is one, gets its result. */
async function outcomeOf<P, D extends JsonValue>(
  change: Change<P, D>,
  payload: P,
  call: Call,
  factsOf: (data: D) => JsonObject,
): Promise<Outcome> {
  try {
    const data = await change(payload, call);
    return { ...success(data), facts: factsOf(data) };
  } catch (error) {
    if (!isSublError(error)) throw error;
    const { code, message, help } = error;
    return { status: 'error', error: { code, message, ...(help === undefined ? {} : { help }) } };
  }
}

function detail(data: JsonValue): JsonObject {
  return canonicalize(data).length > MAX_DETAIL ? {} : { detail: data };
}
