import { isJsonObject, type JsonValue } from '@subluminal/core-types';
import type { LedgerRow } from '@subluminal/ledger';
import type { Dial, Trace } from './trace.js';

/** What the ledger says of one permission to dial: where to, and from when until when. */
export interface Permission {
  readonly seq: number;
  readonly action: string;
  readonly places: readonly string[];
  readonly from: number;
  readonly until: number;
}

/** What a session is held against. */
export interface Expected {
  readonly permissions: readonly Permission[];
  /** `address:port` of the name server that the system is set to. */
  readonly resolver: string;
  /** `address:port` of the gateway's own doors for programs. */
  readonly doors: readonly string[];
}

/** Everything that Subluminal starts, but for the gateway. */
const OURS: ReadonlySet<string> = new Set(['cli', 'shim']);

/** A remote server is dialled for half a minute after it was decided. */
const REACH_MS = 30_000;

/** Every entry that lets the gateway dial, with the time of its result. */
export function permissionsOf(rows: readonly LedgerRow[]): Permission[] {
  const results = new Map(rows.filter(({ type }) => type === 'action_result').map((row) => [row.ref, row]));
  return rows
    .filter(({ type }) => type === 'action_pending')
    .flatMap((row): Permission[] => {
      const { addresses, destination } = row.data;
      if (!Array.isArray(addresses) || typeof destination !== 'string') return [];
      const port = portOf(destination, row.data['facts']);
      return [
        {
          seq: row.seq,
          action: String(row.tool),
          places: addresses.flatMap((address: JsonValue) =>
            typeof address === 'string' ? [`${address}:${port}`] : [],
          ),
          from: row.ts,
          until: row.tool === 'http.reach' ? row.ts + REACH_MS : (results.get(row.seq)?.ts ?? Infinity),
        },
      ];
    });
}

/**
 * What a session did that it may not: a socket of the internet that is not the gateway's, though it is ours;
 * an address that the gateway dialled and that no entry of that moment has; an address that a program dialled
 * by itself; an entry whose address nobody dialled.
 */
export function findingsOf(trace: Trace, { permissions, resolver, doors }: Expected): string[] {
  const findings: string[] = [];
  const used = new Set<Permission>();
  const gateways = [...trace.programs].filter(([, program]) => program === 'gateway');
  if (gateways.length !== 1) findings.push(`${gateways.length} gateways were started`);
  for (const pid of trace.rings) findings.push(`${trace.programs.get(pid)} opened an io_uring`);
  for (const { program, family, kind } of trace.sockets)
    if (OURS.has(program)) findings.push(`${program} made a socket of ${family}, ${kind}`);
  for (const dial of trace.dials) {
    const place = placeOf(dial);
    if (dial.program === 'gateway') {
      if (place === resolver) continue;
      const permission = fitting(permissions, used, place, dial.at);
      if (permission === undefined) findings.push(`the gateway dialled ${place}, and no entry says so`);
      else used.add(permission);
    } else if (!doors.includes(place)) findings.push(`${dial.program} dialled ${place}`);
  }
  for (const permission of permissions)
    if (!used.has(permission))
      findings.push(`${permission.action} is recorded, and nothing was dialled for it`);
  return findings;
}

/**
 * The entry that a dial belongs to: one that none belongs to yet, and of those the one whose action ended
 * first.
 */
function fitting(
  permissions: readonly Permission[],
  used: ReadonlySet<Permission>,
  place: string,
  at: number,
): Permission | undefined {
  // The ledger counts whole milliseconds.
  return permissions
    .filter(({ places, from, until }) => places.includes(place) && from <= at && at < until + 1)
    .toSorted((one, other) => Number(used.has(one)) - Number(used.has(other)) || one.until - other.until)[0];
}

/** `address:port`. */
export function placeOf({ address, port }: Pick<Dial, 'address' | 'port'>): string {
  return `${address}:${port}`;
}

const DEFAULT_PORTS: Readonly<Record<string, number>> = {
  http: 80,
  https: 443,
  imap: 143,
  imaps: 993,
  smtp: 587,
  smtps: 465,
};

function portOf(destination: string, facts: JsonValue | undefined): number {
  if (facts !== undefined && isJsonObject(facts) && typeof facts['port'] === 'number') return facts['port'];
  const [, scheme = '', port] = /^(\w+):\/\/.*?(?::(\d+))?$/.exec(destination) ?? [];
  return port === undefined ? (DEFAULT_PORTS[scheme] ?? 0) : Number(port);
}
