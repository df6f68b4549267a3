import { isSublError, type JsonValue } from '@subluminal/core-types';
import { connectGateway, readCredential, type HomePaths } from '@subluminal/ipc';
import { dataOf } from '../gateway/door.js';

/** Pauses between attempts to get through the gateway's door. */
const PAUSES_MS = [100, 300, 1000, 3000] as const;

/**
 * Asks as the operator, and comes back where the gateway has turned the connection away before it was one: on a machine on which a hundred
 * jobs start at once, a process may get no turn for as long as a handshake may take. What was asked once is never asked again.
 * Errors: those of `askOperator`.
 */
export async function askPatiently(
  home: HomePaths,
  clock: () => number,
  action: string,
  payload: Readonly<Record<string, unknown>>,
): Promise<JsonValue> {
  const client = await connect(home, clock);
  try {
    return dataOf(await client.request(action, payload));
  } finally {
    client.close();
  }
}

async function connect(home: HomePaths, clock: () => number): ReturnType<typeof connectGateway> {
  for (const pause of PAUSES_MS) {
    try {
      return await connectOnce(home, clock);
    } catch (error) {
      if (!isSublError(error, 'gateway_unreachable') || error.details?.['absent'] === true) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
  return connectOnce(home, clock);
}

function connectOnce(home: HomePaths, clock: () => number): ReturnType<typeof connectGateway> {
  return connectGateway({
    socketPath: home.socket,
    gatewayFile: home.gatewayFile,
    credential: readCredential(home.operatorKey),
    clock,
  });
}
