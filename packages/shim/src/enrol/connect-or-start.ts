import { type Credential, isSublError, type JsonValue } from '@subluminal/core-types';
import { connectGateway, type GatewayClient, type HomePaths } from '@subluminal/ipc';
import { startGateway } from './start-gateway.js';

export interface ConnectOptions {
  readonly paths: HomePaths;
  /** The gateway's program, which is started if no gateway runs; undefined: none is started. */
  readonly gatewayEntry: string | undefined;
  readonly credential: Credential;
  readonly nextId: () => string;
  readonly onPush?: (event: JsonValue) => void;
}

/** Connects; starts a gateway first if there is none and one is wanted. Errors: those of both. */
export async function connectOrStart(options: ConnectOptions): Promise<GatewayClient> {
  const { paths, gatewayEntry, credential, nextId, onPush } = options;
  const attempt = (): Promise<GatewayClient> =>
    connectGateway({
      socketPath: paths.socket,
      gatewayFile: paths.gatewayFile,
      credential,
      clock: Date.now,
      nextId,
      ...(onPush === undefined ? {} : { onPush }),
    });
  try {
    return await attempt();
  } catch (error) {
    const isAbsent = isSublError(error, 'gateway_unreachable') && error.details?.['absent'] === true;
    if (!isAbsent || gatewayEntry === undefined) throw error;
    await startGateway({ paths, entry: gatewayEntry });
    return attempt();
  }
}
