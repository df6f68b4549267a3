import { SublError } from '@subluminal/core-types';
import type { Dialer } from './dial.js';
import { exchange, type HttpLimits, type HttpRequest, type HttpResponse } from './http-exchange.js';
import type { CheckedDestination } from './resolve.js';

/**
 * `exchange` for a request that may have an effect: what goes wrong behind the connection is `in_doubt`,
 * since the other side may have done what it was asked. Nothing is sent again.
 */
export async function exchangeOnce(
  dialer: Pick<Dialer, 'connect'>,
  checked: CheckedDestination,
  request: HttpRequest,
  limits: HttpLimits,
  signal: AbortSignal,
): Promise<HttpResponse> {
  let connected = false;
  const noticing: Pick<Dialer, 'connect'> = {
    connect: async (...given) => {
      const socket = await dialer.connect(...given);
      connected = true;
      return socket;
    },
  };
  try {
    return await exchange(noticing, checked, request, limits, signal);
  } catch (error) {
    if (!connected) throw error;
    const why = error instanceof SublError ? `: ${error.message}` : '';
    throw new SublError('in_doubt', `it may have been done, and its answer was lost${why}`, { cause: error });
  }
}
