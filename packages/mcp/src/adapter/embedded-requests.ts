import { isJsonObject, type JsonObject, type JsonValue, own } from '@subluminal/core-types';
import { ASKING_KEYS, foldName, isVariantOf } from '../message/names.js';
import { withoutForgery } from './forgery.js';

/** More requests in one message are not judged one by one but refused together. */
const MAX_EMBEDDED = 32;

/** A request of the server that travels inside of a result or a notification. */
export interface EmbeddedRequest {
  readonly method: string;
  readonly params: JsonObject | undefined;
}

/**
 * The requests that a result, or a notification's params, ask the client to fulfil: since revision 2026-07-28
 * that is how a server asks for sampling, elicitation and roots, in the result of the call, in the state of a
 * task and in the notification of that state. A text says why they cannot be judged; a task's error that says
 * what only a gateway may say is one of the reasons.
 */
export function embeddedRequests(holder: JsonValue): readonly EmbeddedRequest[] | string {
  if (!isJsonObject(holder)) return [];
  for (const [key, value] of Object.entries(holder)) {
    // A result of any method may hold an error; only one that is forged is refused, however it is spelt.
    if (foldName(key) === 'error') {
      if (withoutForgery(value) !== undefined) return 'its error says what is reserved for the gateway';
    } else if (isVariantOf(ASKING_KEYS, key)) return `its \`${key}\` is spelt unlike the standard`;
  }
  const requests = own(holder, 'inputRequests');
  if (requests === undefined) return [];
  if (!isJsonObject(requests)) return 'its `inputRequests` must be an object';
  const values = Object.values(requests);
  if (values.length > MAX_EMBEDDED) return `it has more than ${MAX_EMBEDDED} \`inputRequests\``;
  const found: EmbeddedRequest[] = [];
  for (const value of values) {
    const method = isJsonObject(value) ? own(value, 'method') : undefined;
    const params = isJsonObject(value) ? own(value, 'params') : undefined;
    if (typeof method !== 'string') return 'one of its `inputRequests` has no method';
    if (params !== undefined && !isJsonObject(params))
      return 'one of its `inputRequests` has no object as params';
    found.push({ method, params });
  }
  return found;
}
