import { isSublError, type JsonValue } from '@subluminal/core-types';
import { connectGateway, readCredential, type HomePaths } from '@subluminal/ipc';
import { dataOf } from '../gateway/door.js';

/** Pauses between attempts to get through the gateway's door. */
const PAUSES_MS = [100, 300, 1000, 3000, 5000] as const;

/**
 * Asks as the operator, and comes back where the gateway has turned the connection away before it was one: on
 * a machine on which a hundred jobs start at once, a process may get no turn for as long as a handshake may
 * take. A question that was asked is never asked again. Errors: those of `askOperator`.
 */
export async function askPatiently(
  home: HomePaths,
  clock: () => number,
  action: string,
  payload: Readonly<Record<string, unknown>>,
): Promise<JsonValue> {
  const client = await patiently(() => connectOnce(home, clock));
  try {
    return dataOf(await client.request(action, payload));
  } finally {
    client.close();
  }
}

/** Does what asks for nothing yet, again where the gateway turned it away. */
export async function patiently<T>(work: () => Promise<T>): Promise<T> {
  for (const pause of PAUSES_MS) {
    try {
      return await work();
    } catch (error) {
      if (!isSublError(error, 'gateway_unreachable') || error.details?.['absent'] === true) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
  return work();
}

function connectOnce(home: HomePaths, clock: () => number): ReturnType<typeof connectGateway> {
  return connectGateway({
    socketPath: home.socket,
    gatewayFile: home.gatewayFile,
    credential: readCredential(home.operatorKey),
    clock,
  });
}
