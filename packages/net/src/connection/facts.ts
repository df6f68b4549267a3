import { redact, type ErrorCode, type JsonObject, type NetConnectPayload } from '@subluminal/core-types';
import {
  type AddressVerdict,
  addressVerdict,
  type Destination,
  hostVerdict,
  mayDial,
} from '@subluminal/egress';

/** The verdict on an address, or that the gateway itself listens there. */
export type ConnectionVerdict = AddressVerdict | 'own_listener';

/** What is known of a connection that was asked for, and what was decided on it. */
export interface ConnectionFacts {
  /** As the client wrote it. */
  readonly host: string;
  readonly port: number;
  readonly via: NetConnectPayload['via'];
  readonly serverName: string | undefined;
  readonly shimId: string | undefined;
  readonly worldId: string | undefined;
  /** The profile of the world that it is from. */
  readonly profile?: string;
  /** An entry of the allowlist names it. */
  readonly listed: boolean;
  /** It may carry TLS; requests without; anything else. */
  readonly tls: boolean;
  readonly plain: boolean;
  readonly raw: boolean;
  /** What may be put in on it: it is inspected where there is any. */
  readonly injects: readonly { readonly injectAs: string; readonly secretRef: string }[];
  /** The client named an address, and no name. */
  readonly isByAddress?: boolean;
  /** What it was refused for, where its name was resolved. */
  readonly address?: string;
  /** The verdict on the address that it leads to, or on one of them, where that is no public one. */
  readonly verdict?: ConnectionVerdict;
}

/** The facts of a request before anything is decided: nothing is listed, nothing may be carried. */
export function askedFacts(payload: NetConnectPayload): ConnectionFacts {
  const { host, port, via, server_name: serverName, shim_id: shimId, world_id: worldId } = payload;
  return {
    host,
    port,
    via,
    serverName,
    shimId,
    worldId,
    listed: false,
    tls: false,
    plain: false,
    raw: false,
    injects: [],
  };
}

/** The facts of a destination that the client named by its address; none of a name. */
export function addressFacts({ host }: Destination): Pick<ConnectionFacts, 'isByAddress' | 'verdict'> {
  return hostVerdict(host) === undefined ? {} : { isByAddress: true, ...verdictFacts([host]) };
}

/** The verdict on the first address that is no public one. */
export function verdictFacts(addresses: readonly string[]): Pick<ConnectionFacts, 'verdict'> {
  const verdict = addresses.map(addressVerdict).find((one) => one !== 'public');
  return verdict === undefined ? {} : { verdict };
}

/** The facts as entries hold them. */
export function factsData(facts: ConnectionFacts): JsonObject {
  const {
    host,
    port,
    via,
    serverName,
    shimId,
    worldId,
    profile,
    isByAddress,
    listed,
    address,
    verdict,
    injects,
  } = facts;
  return {
    host: redact(host).text,
    port,
    via,
    ...(serverName === undefined ? {} : { server_name: redact(serverName).text }),
    ...(shimId === undefined ? {} : { shim_id: redact(shimId).text }),
    ...(worldId === undefined ? {} : { world_id: worldId }),
    ...(profile === undefined ? {} : { profile }),
    ...(isByAddress === true ? { by: 'address' } : {}),
    ...(address === undefined ? {} : { address }),
    ...(verdict === undefined ? {} : verdictData(verdict)),
    listed,
    ...(injects.length === 0 ? {} : { inspected: true, injects: injects.map(injectData) }),
  };
}

/** `private`: an entry of the allowlist can let it through, with `--private`. */
function verdictData(verdict: ConnectionVerdict): JsonObject {
  return { verdict, private: verdict !== 'own_listener' && mayDial(verdict, true) };
}

function injectData({ injectAs, secretRef }: ConnectionFacts['injects'][number]): JsonObject {
  return { inject_as: injectAs, secret_ref: redact(secretRef).text };
}

/** What an end without a code of its own is recorded as. */
export const END_CODES = {
  refused: 'protocol_refused',
  failed: 'adapter_failed',
  budget: 'budget_spent',
  timed_out: 'timed_out',
  cut: 'interrupted',
} as const satisfies Record<string, ErrorCode>;
