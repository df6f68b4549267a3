import { isJsonObject, type JsonObject, type JsonValue } from '@subluminal/core-types';

/** More requests in one result are not judged one by one but refused together. */
const MAX_EMBEDDED = 32;

/** A request of the server that travels inside of a result. */
export interface EmbeddedRequest {
  readonly method: string;
  readonly params: JsonObject | undefined;
}

/**
 * The requests that a result asks the client to fulfil before the call is made again: since revision 2026-07-28 that is
 * how a server asks for sampling, elicitation and roots. A text says why they cannot be judged.
 */
export function embeddedRequests(result: JsonValue): readonly EmbeddedRequest[] | string {
  if (!isJsonObject(result) || own(result, 'resultType') !== 'input_required') return [];
  const requests = own(result, 'inputRequests');
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

function own(value: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(value, key) ? value[key] : undefined;
}
