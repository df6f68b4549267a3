import {
  type JsonObject,
  type JsonValue,
  SublError,
  isJsonObject,
  isSublError,
  isOverFrameParts,
  parseJsonInTurns,
  startOf,
  own,
} from '@subluminal/core-types';
import type { HttpResponse } from '@subluminal/egress';

/** The longest text of a service that an error repeats. */
const MAX_SAID = 300;

/**
 * The body as one JSON object. One that is not plain at once is read in turns of the event loop.
 *
 * @throws SublError `adapter_failed` if it is anything else.
 */
export async function jsonAnswer(origin: string, answer: HttpResponse): Promise<JsonObject> {
  let value: JsonValue;
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(answer.body);
    if (isOverFrameParts(text))
      throw new SublError('adapter_failed', `\`${origin}\` answered with JSON of too many parts`);
    value = await parseJsonInTurns(text);
  } catch (cause) {
    if (isSublError(cause, 'adapter_failed')) throw cause;
    if (!isSublError(cause) && !(cause instanceof TypeError)) throw cause;
    throw new SublError('adapter_failed', `\`${origin}\` answered with something that is not JSON`, {
      cause,
    });
  }
  if (isJsonObject(value)) return value;
  throw new SublError('adapter_failed', `\`${origin}\` answered with JSON that is no object`);
}

/** The error for a status that is no answer. `said` is the service's own text, if it gave one. */
export function refusedBy(origin: string, status: number, said = ''): SublError {
  const words = said === '' ? '' : `: ${printable(said)}`;
  if (status === 401 || status === 403)
    return new SublError(
      'credential_refused',
      `\`${origin}\` refused the account's credentials (${status})${words}`,
      {
        help: 'add the account again with credentials that are valid',
      },
    );
  if (status >= 300 && status < 400)
    return new SublError(
      'adapter_failed',
      `\`${origin}\` sends elsewhere (${status}), which is not followed`,
      {
        help: 'give the account the address that it leads to',
      },
    );
  return new SublError('adapter_failed', `\`${origin}\` answered with status ${status}${words}`);
}

/** A text of a service for an error: one line, without characters that a terminal would act on. */
export function printable(text: string): string {
  const line = text
    .slice(0, 2 * MAX_SAID)
    .replaceAll(/[\p{C}\p{Z}]+/gu, ' ')
    .trim();
  return startOf(line, MAX_SAID);
}

/** The text of a key, cut to `max` characters; undefined where there is none, or something else. */
export function textAt(object: JsonObject, key: string, max = 4096): string | undefined {
  const value = own(object, key);
  return typeof value === 'string' ? startOf(value, max) : undefined;
}

/** The object of a key; undefined where there is none. */
export function objectAt(object: JsonObject, key: string): JsonObject | undefined {
  const value = own(object, key);
  return value !== undefined && isJsonObject(value) ? value : undefined;
}
