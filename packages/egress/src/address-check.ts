import ipaddr from 'ipaddr.js';
import { isIP } from 'node:net';
import { readHost } from '@subluminal/core-types';

/**
 * The kind of an address. One name for the log, the error and the test. Only `public` may be dialled without
 * further permission.
 */
export type AddressVerdict =
  | 'public'
  | 'private'
  | 'loopback'
  | 'link_local'
  | 'cgnat'
  | 'unique_local'
  | 'cloud_metadata'
  | 'unspecified'
  | 'broadcast'
  | 'multicast'
  | 'documentation'
  | 'benchmarking'
  | 'reserved'
  | 'ipv4_mapped'
  | 'ipv4_compatible'
  | 'ipv4_translated'
  | 'nat64'
  | '6to4'
  | 'teredo'
  | 'isatap'
  | 'site_local'
  | 'unreadable';

type Row = readonly [verdict: AddressVerdict, ...ranges: string[]];
type Range = readonly [verdict: AddressVerdict, range: [ipaddr.IPv4 | ipaddr.IPv6, number]];

/**
 * The IANA special-purpose registry for IPv4, and the metadata services of the clouds. The first match
 * counts.
 */
const V4: readonly Range[] = ranges([
  [
    'cloud_metadata',
    '169.254.169.254/32', // AWS, GCP, Azure, OpenStack, Oracle, DigitalOcean
    '169.254.170.2/32', // AWS ECS credentials
    '169.254.170.23/32', // AWS EKS pod identity
    '100.100.100.200/32', // Alibaba
    '100.96.0.96/32', // Volcengine
    '100.80.80.80/32', // UCloud
    '168.63.129.16/32', // Azure wire server; a public address by its number
    '192.0.0.192/32', // Oracle, classic
  ],
  ['unspecified', '0.0.0.0/8'],
  ['private', '10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16'],
  ['cgnat', '100.64.0.0/10'],
  ['loopback', '127.0.0.0/8'],
  ['link_local', '169.254.0.0/16'],
  ['documentation', '192.0.2.0/24', '198.51.100.0/24', '203.0.113.0/24'],
  ['benchmarking', '198.18.0.0/15'],
  ['6to4', '192.88.99.0/24'],
  ['multicast', '224.0.0.0/4'],
  ['broadcast', '255.255.255.255/32'],
  ['reserved', '192.0.0.0/24', '192.31.196.0/24', '192.52.193.0/24', '192.175.48.0/24', '240.0.0.0/4'],
]);

const V6: readonly Range[] = ranges([
  [
    'cloud_metadata',
    'fd00:ec2::254/128', // AWS
    'fd00:ec2::23/128', // AWS EKS pod identity
    'fd20:ce::254/128', // GCP
    'fd00:c1::a9fe:a9fe/128', // Oracle
    'fd00:42::42/128', // Scaleway
    'fd00:a9fe:a9fe::1/128', // Akamai
    'fd00:100::100:200/128', // Alibaba
    'fe80::a9fe:a9fe/128', // OpenStack
  ],
  ['unspecified', '::/128'],
  ['loopback', '::1/128'],
  ['ipv4_mapped', '::ffff:0:0/96'],
  ['ipv4_translated', '::ffff:0:0:0/96'],
  ['ipv4_compatible', '::/96'],
  ['nat64', '64:ff9b::/96', '64:ff9b:1::/48'],
  ['unique_local', 'fc00::/7'],
  ['link_local', 'fe80::/10'],
  ['site_local', 'fec0::/10'],
  ['multicast', 'ff00::/8'],
  ['teredo', '2001::/32'],
  ['benchmarking', '2001:2::/48'],
  ['documentation', '2001:db8::/32', '3fff::/20'],
  ['6to4', '2002::/16'],
  ['reserved', '2001::/23', '2620:4f:8000::/48'],
]);

/** Ports of this machine behind which agents of clouds give credentials. */
const LOOPBACK_METADATA: ReadonlySet<number> = new Set([
  40_342, // Azure Arc
  988, // GKE
]);

/** The only block out of which global unicast addresses are handed out. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');
const WELL_KNOWN_NAT64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96');

/**
 * Judges one address, written as a resolver writes it. Default deny: an IPv6 address outside 2000::/3 is
 * `reserved` whatever it is, and a text that is not a plain address (a zone, a number, a name) is
 * `unreadable`.
 *
 * An address under the well-known NAT64 prefix is `public` if the IPv4 address inside is: networks with IPv6
 * only resolve every IPv4 host that way, RFC 6052 §3.1 forbids other contents, and the registry has it as
 * globally reachable. 64:ff9b:1::/48 is for local use, so what it leads to cannot be told, and it is refused.
 */
export function addressVerdict(address: string): AddressVerdict {
  const family = isIP(address);
  if (family === 0 || address.includes('%')) return 'unreadable';
  if (family === 4) return firstMatch(V4, ipaddr.IPv4.parse(address)) ?? 'public';
  const parsed = parseV6(address);
  const bytes = parsed.toByteArray();
  const special = firstMatch(V6, parsed);
  if (special === 'nat64' && parsed.match(WELL_KNOWN_NAT64)) {
    return addressVerdict(bytes.slice(12).join('.')) === 'public' ? 'public' : 'nat64';
  }
  if (special !== undefined) return special;
  if (isIsatap(bytes)) return 'isatap';
  return parsed.match(GLOBAL_UNICAST) ? 'public' : 'reserved';
}

/** As `addressVerdict`, of an address together with the port that is to be dialled there. */
export function placeVerdict(address: string, port: number): AddressVerdict {
  const verdict = addressVerdict(address);
  return verdict === 'loopback' && LOOPBACK_METADATA.has(port) ? 'cloud_metadata' : verdict;
}

/** The verdict of a canonical host that is an address; undefined for a name. */
export function hostVerdict(host: string): AddressVerdict | undefined {
  return isIP(host) === 0 ? undefined : addressVerdict(host);
}

/** Verdicts that the operator can lift for one entry with `allow_private`. Nothing lifts the others. */
const LIFTED: ReadonlySet<AddressVerdict> = new Set([
  'private',
  'loopback',
  'link_local',
  'cgnat',
  'unique_local',
  'cloud_metadata',
]);

/** The verdicts of a network's own services. Link-local is none of them: metadata services stand there. */
const INSIDE: ReadonlySet<AddressVerdict> = new Set(['private', 'loopback', 'cgnat', 'unique_local']);

/**
 * Leave to dial other than public addresses: none, those of this machine's networks, or all that an entry can
 * lift.
 */
export type Leave = boolean | 'inside';

/** Tells whether an address of that verdict may be dialled. */
export function mayDial(verdict: AddressVerdict, leave: Leave): boolean {
  if (verdict === 'public') return true;
  return leave === 'inside' ? INSIDE.has(verdict) : leave && LIFTED.has(verdict);
}

/** Tells whether two texts are the same address, whatever their spelling; false if either is not one. */
export function sameAddress(one: string, other: string): boolean {
  if (isIP(one) === 0 || isIP(other) === 0) return false;
  const [first, second] = [readHost(one), readHost(other)];
  return first.ok && second.ok && first.host === second.host;
}

/** Through the URL parser's spelling, since ipaddr.js takes `::127.0.0.1` for `::ffff:127.0.0.1`. */
function parseV6(address: string): ipaddr.IPv6 {
  const reading = readHost(address);
  return ipaddr.IPv6.parse(reading.ok ? reading.host : address);
}

/** Interface identifiers of RFC 5214 §6.1: 00-00-5E-FE or 02-00-5E-FE, then an IPv4 address. */
function isIsatap(bytes: readonly number[]): boolean {
  return (
    (bytes[8] === 0x00 || bytes[8] === 0x02) && bytes[9] === 0x00 && bytes[10] === 0x5e && bytes[11] === 0xfe
  );
}

function firstMatch(table: readonly Range[], address: ipaddr.IPv4 | ipaddr.IPv6): AddressVerdict | undefined {
  return table.find(([, range]) => address.match(range))?.[0];
}

function ranges(rows: readonly Row[]): Range[] {
  return rows.flatMap(([verdict, ...texts]) => texts.map((text): Range => [verdict, ipaddr.parseCIDR(text)]));
}
