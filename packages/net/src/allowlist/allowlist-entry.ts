import { readHost, SublError } from '@subluminal/core-types';
import { addressVerdict, mayDial } from '@subluminal/egress';

/** One line of the allowlist. `null` for port or protocol: any. */
export interface AllowEntry {
  readonly id: string;
  readonly service_name: string;
  /** Canonical host; never a wildcard. */
  readonly domain: string;
  readonly port: number | null;
  readonly protocol: string | null;
  /** ISO 8601, UTC. */
  readonly added_at: string;
  readonly added_by: 'user' | 'setup_wizard';
  readonly is_active: boolean;
  readonly allow_private: boolean;
}

/** What `addService` takes. `service_name` defaults to the domain. */
export interface AllowInput {
  readonly domain: string;
  readonly port?: number | null | undefined;
  readonly protocol?: string | null | undefined;
  readonly service_name?: string | undefined;
  readonly added_by?: 'user' | 'setup_wizard' | undefined;
  readonly allow_private?: boolean | undefined;
}

/** Stored where an entry is for every protocol; no protocol has this name. */
const ANY_PROTOCOL = 'any';

const PROTOCOL = /^[a-z][a-z0-9+.-]{0,31}$/;

/** The canonical parts of an entry, before it has an id. */
export type AllowTerms = Pick<AllowEntry, 'domain' | 'port' | 'protocol' | 'service_name' | 'allow_private'>;

/**
 * Reads what an operator typed. A name is brought to canonical form. An IP address can be an entry, for
 * itself alone and only as it is usually written: someone who types `2130706433` should see that it is
 * `127.0.0.1` before it is allowed. An address that could never be dialled without `allow_private` is refused
 * without it. Throws `invalid_domain`, `address_refused`, or `invalid_request` for a bad port or protocol.
 */
export function readTerms(input: AllowInput): AllowTerms {
  const reading = readHost(input.domain);
  if (!reading.ok) throw invalidDomain(`\`${input.domain}\` cannot be allowed: ${reading.why}`, EXACT);
  const domain = reading.host;
  const allowPrivate = input.allow_private ?? false;
  if (reading.kind !== 'name') {
    const typed = input.domain.toLowerCase().replace(/^\[/, '').replace(/\]$/, '');
    if (typed !== domain) {
      throw invalidDomain(
        `\`${input.domain}\` is another spelling of the address \`${domain}\``,
        `if that address is meant, add \`${domain}\``,
      );
    }
    const verdict = addressVerdict(domain);
    if (!mayDial(verdict, allowPrivate)) {
      throw new SublError('address_refused', `the address \`${domain}\` is refused (${verdict})`, {
        details: { address: domain, verdict },
        help: mayDial(verdict, true)
          ? 'if that very address is meant, add `--private`'
          : 'no entry lets such an address through: name the one that is meant',
      });
    }
  }
  return {
    domain,
    port: readPort(input.port ?? null),
    protocol: readProtocol(input.protocol ?? null),
    service_name: input.service_name ?? domain,
    allow_private: allowPrivate,
  };
}

const EXACT = 'name each host exactly, for example `api.example.com`';

function readPort(port: number | null): number | null {
  if (port === null || (Number.isInteger(port) && port >= 1 && port <= 65_535)) return port;
  throw new SublError('invalid_request', `\`${port}\` is not a port`, {
    help: 'use a number from 1 to 65535',
  });
}

function readProtocol(protocol: string | null): string | null {
  if (protocol === null || (PROTOCOL.test(protocol) && protocol !== ANY_PROTOCOL)) return protocol;
  throw new SublError('invalid_request', `\`${protocol}\` is not a protocol`, {
    help: 'use a name such as `https`, or leave it out for every protocol',
  });
}

function invalidDomain(message: string, help: string): SublError {
  return new SublError('invalid_domain', message, { help });
}

/** A row of `allowed_services`. */
export interface AllowRow {
  readonly id: string;
  readonly service_name: string;
  readonly domain: string;
  readonly port: number | null;
  readonly protocol: string;
  readonly added_at: string;
  readonly added_by: string;
  readonly is_active: number;
  readonly allow_private: number;
}

export function toRow(entry: AllowEntry): AllowRow {
  return {
    ...entry,
    protocol: entry.protocol ?? ANY_PROTOCOL,
    is_active: entry.is_active ? 1 : 0,
    allow_private: entry.allow_private ? 1 : 0,
  };
}

/** The inverse of `toRow`. Only the exact value 1 activates an entry or lifts the address check. */
export function fromRow(row: AllowRow): AllowEntry {
  return {
    ...row,
    protocol: row.protocol === ANY_PROTOCOL ? null : row.protocol,
    added_by: row.added_by === 'setup_wizard' ? 'setup_wizard' : 'user',
    is_active: row.is_active === 1,
    allow_private: row.allow_private === 1,
  };
}
