import type { JsonObject } from '@subluminal/core-types';
import { type ActionOf, operate, read } from '@subluminal/gateway';
import type { HttpDoor } from './door.js';

/** The door for HTTP, and what passes it. */
export interface HttpOperateParts {
  readonly door: HttpDoor;
  readonly counts: () => { readonly sessions: number; readonly exchanges: number };
}

/** The operator's actions on the door for HTTP. */
export interface HttpActions {
  readonly 'http.listen': ActionOf<'http.listen'>;
  readonly 'http.stop': ActionOf<'http.stop'>;
  readonly 'http.status': ActionOf<'http.status'>;
}

/** The enrol token is answered and not recorded. */
export function httpActions(parts: HttpOperateParts): HttpActions {
  return {
    'http.listen': operate(
      async () => {
        const { port, enrolToken } = await parts.door.listen();
        return { port, enrol_token: enrolToken };
      },
      ({ port }) => ({ port }),
    ),
    'http.stop': operate(async () => {
      await parts.door.close();
      return httpData(parts);
    }),
    'http.status': read(() => httpData(parts)),
  };
}

/** The state of the door, as `http.status` and `gateway.status` tell it. */
export function httpData({ door, counts }: HttpOperateParts): JsonObject {
  return { ...door.state, ...counts() };
}
