import { isJsonObject, type JsonObject, SublError } from '@subluminal/core-types';

/**
 * The one unsigned message that a gateway sends: it does not take this client (unknown id, wrong key, ended
 * run, wrong version: all the same). Believing a forged one costs a connection and never allows anything.
 * Undefined for others.
 */
export function refusalOf(frame: JsonObject): SublError | undefined {
  const error = Object.hasOwn(frame, 'error') ? frame['error'] : undefined;
  if (!isJsonObject(error) || Object.hasOwn(frame, 'requestId')) return undefined;
  if (error['code'] !== 'handshake_refused') return undefined;
  return new SublError(
    'handshake_refused',
    'the gateway refused this key: it is unknown, or its run has ended',
  );
}
