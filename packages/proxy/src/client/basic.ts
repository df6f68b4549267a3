import { Label, readProxyToken } from '@subluminal/core-types';

/** Whose connection it is: a server of a run, or the run itself. */
export interface ShownToken {
  /** The server's name; undefined for the run's own connections. */
  readonly serverName: string | undefined;
  /** As the token names it. */
  readonly runId: string;
  readonly secret: Uint8Array;
}

/** What a program that is no server writes for its name. */
const OF_THE_RUN = 'run';
const BASIC = /^Basic +([A-Za-z0-9+/]{1,2048}={0,2})$/i;

/** Reads `Proxy-Authorization: Basic …` (RFC 7617); undefined where it shows no token. */
export function readBasic(value: string | undefined): ShownToken | undefined {
  const coded = BASIC.exec(value ?? '')?.[1];
  if (coded === undefined) return undefined;
  const text = Buffer.from(coded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  return colon === -1 ? undefined : readLogin(text.slice(0, colon), text.slice(colon + 1));
}

/** Reads a user name, which is the server's name or `run`, and a password, which is the token. */
export function readLogin(user: string, password: string): ShownToken | undefined {
  const token = readProxyToken(password);
  if (token === undefined || !Label.safeParse(user).success) return undefined;
  return { serverName: user === OF_THE_RUN ? undefined : user, ...token };
}
