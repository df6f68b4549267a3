import { isJsonObject, type JsonObject } from '@subluminal/core-types';
import { connectGateway, homePaths, readCredential } from '@subluminal/ipc';

/** Asks the gateway of a home as its operator. */
export async function askOperator(
  home: string,
  action: string,
  payload: JsonObject = {},
): Promise<JsonObject> {
  const paths = homePaths(home);
  const credential = readCredential(paths.operatorKey);
  const client = await connectGateway({ socketPath: paths.socket, credential, clock: Date.now });
  try {
    const { data } = await client.request(action, payload);
    if (data === undefined || !isJsonObject(data)) throw new Error(`${action} was refused`);
    return data;
  } finally {
    client.close();
  }
}
