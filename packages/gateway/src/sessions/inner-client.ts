import {
  type ActionResponse,
  canonicalize,
  isActionName,
  isJsonObject,
  isSublError,
  parseJson,
  SublError,
} from '@subluminal/core-types';
import { CanonicalText, type GatewayClient } from '@subluminal/ipc';
import type { InnerSession } from './inner-session.js';

/**
 * A client of the gateway within its own process, for the code that shims use over the socket. A payload is
 * read as the text that a shim would send. `closed`: resolves when the session ends.
 */
export function innerClient(
  session: InnerSession,
  { ledgerId, closed }: Pick<GatewayClient, 'ledgerId' | 'closed'>,
): GatewayClient {
  return {
    ledgerId,
    closed,
    close: () => session.end(),
    async request(action, payload): Promise<ActionResponse> {
      const text = payload instanceof CanonicalText ? payload.text : canonicalize(payload);
      const read = parseJson(text);
      if (!isActionName(action) || !isJsonObject(read))
        throw new SublError('invalid_request', `\`${action}\` cannot be asked for`);
      try {
        const { requestId, status, data, error, auditRef } = await session.ask(action, read);
        return {
          requestId,
          // Nothing has carried it, so there is neither a time nor a signature to check.
          timestamp: '',
          signature: '',
          status,
          auditRef,
          ...(data === undefined ? {} : { data }),
          ...(error === undefined ? {} : { error }),
        };
      } catch (error) {
        if (!isSublError(error, 'run_ended')) throw error;
        throw new SublError('handshake_refused', error.message, { cause: error });
      }
    },
  };
}
