import { isSublError, numberAt, textAt } from '@subluminal/core-types';
import type { HttpRouting, ServerEntry } from '../client.js';
import { askOperator } from '../../gateway/door.js';
import { ensureGateway } from '../../gateway/start.js';
import type { Call } from '../../program/call.js';

/** The parts of the gateway that routed remote servers need. */
export interface RemoteDoor {
  /**
   * Has the gateway listen for remote servers, or says why it does not. Asked when it is needed, and once.
   */
  readonly open: () => Promise<HttpRouting | NoDoor>;
  /** Lets the gateway reach the server of an entry. Tells the host that was added, or why none was. */
  readonly allow: (entry: ServerEntry) => Promise<Allowed>;
}

/** The outcome of the allowlist for one server. */
export type Allowed = { readonly host: string } | { readonly missing: string };

/** Why remote servers cannot be routed now: a lowercase sentence without its end. */
export interface NoDoor {
  readonly cannot: string;
}

/** The gateway of the home, started where none runs. */
export function gatewayDoor(call: Call): RemoteDoor {
  let opened: Promise<HttpRouting | NoDoor> | undefined;
  return {
    open: () => (opened ??= listen(call)),
    allow: (entry) => allow(call, entry),
  };
}

async function listen(call: Call): Promise<HttpRouting | NoDoor> {
  try {
    await ensureGateway(call, 'automatic');
    const answer = await askOperator(call.home, call.session.now, 'http.listen');
    const port = numberAt(answer, 'port');
    const enrolToken = textAt(answer, 'enrol_token');
    if (port !== undefined && enrolToken !== '') return { port, enrolToken };
    return { cannot: 'the gateway does not say where it listens for remote servers' };
  } catch (error) {
    // Servers over stdio need no gateway to be routed.
    if (isSublError(error)) return { cannot: `the gateway does not listen for it: ${error.message}` };
    throw error;
  }
}

/** The host that `allow` would add, or why it could not. */
export function wouldAllow({ url = '' }: ServerEntry): Allowed {
  const origin = originOf(url);
  return origin === undefined ? UNKNOWN : { host: `${origin.host}:${origin.port}` };
}

const UNKNOWN: Allowed = {
  missing: 'its address holds a variable: let its host in with `sub allow add HOST`',
};

async function allow(call: Call, { url = '', scope }: ServerEntry): Promise<Allowed> {
  const origin = originOf(url);
  if (origin === undefined) return UNKNOWN;
  try {
    await askOperator(call.home, call.session.now, 'allow.add', {
      host: origin.host,
      port: origin.port,
      protocol: origin.protocol,
      // A line that other people wrote into a project's file is no reason to let them into this network.
      allow_private: origin.isLocal && scope !== 'project',
    });
    return { host: `${origin.host}:${origin.port}` };
  } catch (error) {
    if (!isSublError(error)) throw error;
    return { missing: `its host is not on the allowlist: ${error.message}` };
  }
}

/** Where a server is reached; undefined of an address that only the client knows. */
export function originOf(url: string):
  | {
      readonly host: string;
      readonly port: number;
      readonly protocol: 'http' | 'https';
      /** The address itself is one of this machine or of its network. */
      readonly isLocal: boolean;
    }
  | undefined {
  const authority = /^https?:\/\/[^/?#]*/i.exec(url)?.[0] ?? '$';
  if (/[$\\{]/.test(authority)) return undefined;
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined || !['http:', 'https:'].includes(parsed.protocol)) return undefined;
  const protocol = parsed.protocol === 'https:' ? 'https' : 'http';
  const host = parsed.hostname.replace(/^\[|\]$/g, '');
  const port = parsed.port === '' ? (protocol === 'https' ? 443 : 80) : Number(parsed.port);
  return { host, port, protocol, isLocal: host === 'localhost' || /^[0-9.]+$|:/.test(host) };
}
