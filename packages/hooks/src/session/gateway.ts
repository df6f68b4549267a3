import {
  errorOf,
  type HookContextPayload,
  type HookEventPayload,
  isJsonObject,
  isSublError,
  textAt,
  valueAt,
} from '@subluminal/core-types';
import { type Core, type GatewaySession } from '@subluminal/agent';

/** The gateway, as far as hooks ask it. */
export interface HookGateway {
  readonly core: Pick<Core, 'decide' | 'end'>;
  /** Records an event. @throws SublError where it could not be recorded. */
  tell(event: HookEventPayload): Promise<void>;
  /**
   * A text that waits for the agent; undefined for none, and where no gateway answers. `steers` is false
   * where nobody is told anything at present.
   */
  context(of: HookContextPayload): Promise<{ readonly steers: boolean; readonly text: string | undefined }>;
  /** The names of the servers whose messages pass the gateway; none where no gateway answers. */
  routes(): Promise<readonly string[]>;
}

/** The decision that follows has to come in time, too. */
const ROUTES_MS = 3000;
/** The client waits, and can do without. */
const CONTEXT_MS = 500;

/** The gateway at the other end of a run's session. */
export function hookGateway(session: GatewaySession, core: HookGateway['core']): HookGateway {
  return {
    core,
    async tell(event) {
      const answer = await session.request('hook.event', event, false);
      if (answer.status !== 'success') throw errorOf(answer);
    },
    async context(of) {
      const { data = null } = await session
        .request('hook.context', of, false, { timeoutMs: CONTEXT_MS })
        .catch(nothing);
      const text = textAt(data, 'text');
      return { steers: valueAt(data, 'steers') === true, text: text === '' ? undefined : text };
    },
    async routes() {
      const { data } = await session
        .request('hook.routes', {}, false, { timeoutMs: ROUTES_MS })
        .catch(nothing);
      const servers = data !== undefined && isJsonObject(data) ? data['servers'] : undefined;
      return Array.isArray(servers) ? servers.filter((name) => typeof name === 'string') : [];
    },
  };
}

/** Where it is not known that a message will be decided, the hook asks for the call. */
function nothing(error: unknown): { readonly data?: undefined } {
  if (!isSublError(error)) throw error;
  return {};
}
