import type { JsonObject } from '@subluminal/core-types';
import type { HttpDoor } from './door.js';
import { type ActionHandler, success } from '@subluminal/gateway';

/** What the door for HTTP tells of itself, and what goes on behind it. */
export interface HttpOperateParts {
  readonly door: HttpDoor;
  readonly counts: () => { readonly sessions: number; readonly exchanges: number };
}

/** The operator's actions on the door for HTTP. The enrol token is answered and not recorded. */
export function httpHandlers(
  parts: HttpOperateParts,
): Readonly<Record<'http.listen' | 'http.stop' | 'http.status', ActionHandler>> {
  return {
    'http.listen': {
      execute: async () => {
        const { port, enrolToken } = await parts.door.listen();
        return { ...success({ port, enrol_token: enrolToken }), recorded: { port } };
      },
    },
    'http.stop': {
      execute: async () => {
        await parts.door.close();
        return success(httpData(parts));
      },
    },
    'http.status': { execute: () => success(httpData(parts)) },
  };
}

/** What `http.status` and `gateway.status` say. */
export function httpData({ door, counts }: HttpOperateParts): JsonObject {
  return { ...door.state, ...counts() };
}
