import { listAt, numberAt, objectAt, textAt, type JsonObject } from '@subluminal/core-types';
import type { LedgerRow } from '@subluminal/ledger';

/** The action of a connection through the proxy. */
export const CONNECT = 'net.connect';

/** A connection that was asked for, and what became of it. */
export interface ConnectionRecord {
  readonly action: string;
  /** `host:port`, as it was decided on; where no host could be read, as it was written. */
  readonly place: string;
  readonly host: string;
  readonly port: number;
  readonly via: string;
  /** The server whose it is; empty for the run's own. */
  readonly server: string;
  /** False where it passed, or was refused, without standing on the allowlist. */
  readonly isListed: boolean;
  /** The client named an address, and no name. */
  readonly isByAddress: boolean;
  /** The kind of address that it leads to; empty for a public one, and where it is not known. */
  readonly verdict: string;
  /** Such a one as an entry with `--private` lets through. */
  readonly isPrivate: boolean;
  /** It leads to the metadata of a cloud, which hands out credentials: nobody is advised to open that. */
  readonly isMetadata: boolean;
  /** The address that was dialled, or that it was refused for. Empty where nothing was resolved. */
  readonly address: string;
  readonly sni: string;
  /** A part of its handshake is encrypted (ECH): the name may be that of a decoy. */
  readonly hasEch: boolean;
  readonly bytesUp: number | undefined;
  readonly bytesDown: number | undefined;
  /**
   * Secrets could be put in on it: of these variables, and in so many requests each; undefined while it is
   * open.
   */
  readonly injects: readonly {
    readonly variable: string;
    readonly ref: string;
    readonly requests: number | undefined;
  }[];
  readonly requests: number | undefined;
}

/** The entries that a connection is read from. */
export interface ConnectionRows {
  readonly first: LedgerRow;
  readonly last: LedgerRow | null;
}

/** The connection of a record; undefined for any other, and for one of which not even the host was read. */
export function connectionOf({ first, last }: ConnectionRows): ConnectionRecord | undefined {
  if (first.tool !== CONNECT) return undefined;
  const facts = objectAt(first.data, 'facts');
  const port = numberAt(facts, 'port');
  if (port === undefined) return undefined;
  const host = hostOf(textAt(first.data, 'destination')) || textAt(facts, 'host');
  return {
    action: CONNECT,
    place: `${host.includes(':') && !host.startsWith('[') ? `[${host}]` : host}:${port}`,
    host,
    port,
    via: textAt(facts, 'via'),
    server: textAt(facts, 'server_name'),
    isListed: textAt(facts, 'listed') === 'true',
    isByAddress: textAt(facts, 'by') === 'address',
    verdict: textAt(facts, 'verdict'),
    isPrivate: textAt(facts, 'private') === 'true',
    isMetadata: textAt(facts, 'verdict') === 'cloud_metadata',
    address: textAt(last?.data ?? null, 'address') || textAt(facts, 'address'),
    sni: textAt(last?.data ?? null, 'sni'),
    hasEch: textAt(last?.data ?? null, 'ech') === 'true',
    bytesUp: numberAt(last?.data ?? null, 'bytes_up'),
    bytesDown: numberAt(last?.data ?? null, 'bytes_down'),
    injects: injectsOf(facts, last?.data ?? null),
    requests: numberAt(last?.data ?? null, 'requests'),
  };
}

function injectsOf(facts: JsonObject, ended: JsonObject | null): ConnectionRecord['injects'] {
  const counts = listAt(ended, 'injected');
  return listAt(facts, 'injects').map((one) => {
    const variable = textAt(one, 'inject_as');
    const counted = counts.find((count) => textAt(count, 'inject_as') === variable);
    return { variable, ref: textAt(one, 'secret_ref'), requests: numberAt(counted ?? null, 'requests') };
  });
}

/** The connection for programs; the names are documented in docs/cli.md. */
export function connectionJson(connection: ConnectionRecord): JsonObject {
  const { host, port, via, server, isListed, isByAddress, verdict, isPrivate } = connection;
  const { address, sni, hasEch, bytesUp, bytesDown, injects, requests } = connection;
  return {
    host,
    port,
    via,
    server_name: server === '' ? null : server,
    listed: isListed,
    ...(isByAddress ? { by: 'address' } : {}),
    ...(verdict === '' ? {} : { verdict, private: isPrivate }),
    address: address === '' ? null : address,
    sni: sni === '' ? null : sni,
    ...(hasEch ? { ech: true } : {}),
    bytes_up: bytesUp ?? null,
    bytes_down: bytesDown ?? null,
    ...(injects.length === 0
      ? {}
      : {
          inspected: true,
          requests: requests ?? null,
          injects: injects.map(({ variable, ref, requests: times }) => ({
            inject_as: variable,
            secret_ref: ref,
            requests: times ?? null,
          })),
        }),
  };
}

/** The host of `protocol://host[:port]`. */
function hostOf(origin: string): string {
  return /^[a-z]+:\/\/(\[[^\]]*\]|[^:]*)/.exec(origin)?.[1] ?? '';
}
