import type { ProcessIdentity } from '@subluminal/core-types';
import type { CoreClient, GatewaySession } from '@subluminal/agent';
import type { ServerSecrets } from '@subluminal/mcp';

/** The parts with which the server of a shim is run. */
export interface Serving {
  readonly core: CoreClient;
  readonly session: GatewaySession;
  readonly shim: ProcessIdentity;
  readonly shimId: string;
  /** Names the server to the gateway. */
  readonly token: string;
  /** By which the gateway's proxy knows the run. */
  readonly proxyToken: string;
  readonly secrets: ServerSecrets;
}
