import { sha256Hex, type AdapterAction, type PayloadOf } from '@subluminal/core-types';
import type { Sends, Target } from '@subluminal/gateway';

/** The actions that read: data that others can write, data that is private, or both. */
const READS: Partial<Record<AdapterAction, { readonly untrusted: boolean; readonly private: boolean }>> = {
  'email.fetch': { untrusted: true, private: true },
  'calendar.fetch': { untrusted: true, private: true },
  'finance.fetch_transactions': { untrusted: false, private: true },
  'health.fetch': { untrusted: false, private: true },
  'service.api_call': { untrusted: true, private: false },
};

/** The kind of data that an action reads; undefined for an action that reads none. */
export function readOf(
  action: AdapterAction,
): { readonly untrusted: boolean; readonly private: boolean } | undefined {
  return Object.hasOwn(READS, action) ? READS[action] : undefined;
}

/** A `GET` of more characters, address and headers together, sends data. */
const MAX_ASKING = 2048;

/** The parts of a service action that tell where it sends data. */
export interface Sending {
  readonly action: AdapterAction;
  readonly payload: unknown;
  /** Characters of its canonical payload. */
  readonly length: number;
  readonly host: string | undefined;
}

/**
 * The receivers of an action; undefined where it sends nothing: a draft, an event without guests, a short
 * `GET`.
 */
export function sendOf({ action, payload, length, host }: Sending): Sends | undefined {
  switch (action) {
    case 'email.send': {
      const { to, cc = [] } = payload as PayloadOf<typeof action>;
      return addressed(action, [...to, ...cc]);
    }
    case 'calendar.create':
    case 'calendar.update':
      return addressed(action, (payload as PayloadOf<typeof action>).attendees ?? []);
    case 'service.api_call': {
      const { method, body } = payload as PayloadOf<typeof action>;
      const onlyAsks = method === 'GET' && body === undefined && length <= MAX_ASKING;
      if (host === undefined || onlyAsks) return undefined;
      return { what: `${action} ${method}`, targets: [{ place: host, shown: host, isHost: true }] };
    }
    default:
      return undefined;
  }
}

/** Addresses are kept as hashes and shown as their domains. */
function addressed(what: string, addresses: readonly string[]): Sends | undefined {
  if (addresses.length === 0) return undefined;
  const targets = addresses.map((address): Target => ({
    place: `mail:${sha256Hex(address.toLowerCase())}`,
    shown: address.slice(address.lastIndexOf('@') + 1).toLowerCase(),
    isHost: false,
  }));
  return { what, targets };
}
