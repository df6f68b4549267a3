import {
  errorOf,
  SublError,
  type ActionResponse,
  type Credential,
  type ErrorCode,
  type JsonValue,
} from '@subluminal/core-types';
import {
  assertHome,
  connectGateway,
  readCredential,
  type GatewayClient,
  type HomePaths,
} from '@subluminal/ipc';

/** The operator, or a run by its key. */
export type Asker = 'operator' | Credential;

/**
 * Connects with the asker's key, does the work, and ends the connection. Errors: `home_missing`,
 * `home_unsafe`, `key_missing`, `gateway_unreachable`, `handshake_refused`, and those of the work.
 */
export async function withGateway<T>(
  home: HomePaths,
  asker: Asker,
  clock: () => number,
  work: (client: GatewayClient) => Promise<T>,
  patience: { readonly connectTimeoutMs?: number } = {},
): Promise<T> {
  assertHome(home);
  const client = await connectGateway({
    socketPath: home.socket,
    gatewayFile: home.gatewayFile,
    credential: asker === 'operator' ? readCredential(home.operatorKey) : asker,
    clock,
    ...patience,
  });
  try {
    return await work(client);
  } finally {
    client.close();
  }
}

/** The next step for an error, by its code, where the gateway names none. */
export type Advice = Readonly<Partial<Record<ErrorCode, string>>>;

/**
 * Asks for one action as the operator, and gives the data of the answer. Any other status is an error with
 * its code.
 */
export function askOperator(
  home: HomePaths,
  clock: () => number,
  action: string,
  payload: Readonly<Record<string, unknown>> = {},
  advice: Advice = {},
): Promise<JsonValue> {
  return withGateway(home, 'operator', clock, async (client) => {
    const answer = await client.request(action, payload);
    if (answer.status !== 'success') throw advised(errorOf(answer), advice);
    return answer.data ?? null;
  });
}

/** The data of a successful answer; throws the error of any other. */
export function dataOf(answer: ActionResponse): JsonValue {
  if (answer.status !== 'success') throw errorOf(answer);
  return answer.data ?? null;
}

/** The error, with what to do about it. */
export function advised(error: SublError, advice: Advice): SublError {
  const help = error.help ?? advice[error.code];
  if (help === undefined) return error;
  return new SublError(error.code, error.message, {
    help,
    cause: error,
    ...(error.details === undefined ? {} : { details: error.details }),
  });
}
