import * as fc from 'fast-check';
import ipaddr from 'ipaddr.js';
import { describe, expect, it } from 'vitest';
import { addressVerdict, mayDial, sameAddress } from './address-check.js';

describe('addressVerdict', () => {
  it.each([
    ['93.184.216.34', 'public'],
    ['1.1.1.1', 'public'],
    ['2606:4700:4700::1111', 'public'],
    ['2a00:1450:4001:82a::200e', 'public'],
    ['10.0.0.1', 'private'],
    ['172.16.0.1', 'private'],
    ['172.31.255.255', 'private'],
    ['192.168.1.1', 'private'],
    ['127.0.0.1', 'loopback'],
    ['127.255.255.254', 'loopback'],
    ['::1', 'loopback'],
    ['169.254.0.1', 'link_local'],
    ['fe80::1', 'link_local'],
    ['febf::1', 'link_local'],
    ['100.64.0.1', 'cgnat'],
    ['100.127.255.255', 'cgnat'],
    ['fc00::1', 'unique_local'],
    ['fd12:3456:789a::1', 'unique_local'],
    ['169.254.169.254', 'cloud_metadata'],
    ['169.254.170.2', 'cloud_metadata'],
    ['100.100.100.200', 'cloud_metadata'],
    ['100.80.80.80', 'cloud_metadata'],
    ['168.63.129.16', 'cloud_metadata'],
    ['fd00:ec2::254', 'cloud_metadata'],
    ['100.96.0.96', 'cloud_metadata'],
    ['fd00:c1::a9fe:a9fe', 'cloud_metadata'],
    ['fd00:42::42', 'cloud_metadata'],
    ['fd00:a9fe:a9fe::1', 'cloud_metadata'],
    ['fd00:100::100:200', 'cloud_metadata'],
    ['fd20:ce::254', 'cloud_metadata'],
    ['0.0.0.0', 'unspecified'],
    ['0.1.2.3', 'unspecified'],
    ['::', 'unspecified'],
    ['255.255.255.255', 'broadcast'],
    ['224.0.0.1', 'multicast'],
    ['239.255.255.255', 'multicast'],
    ['ff02::1', 'multicast'],
    ['192.0.2.1', 'documentation'],
    ['198.51.100.1', 'documentation'],
    ['203.0.113.1', 'documentation'],
    ['2001:db8::1', 'documentation'],
    ['3fff::1', 'documentation'],
    ['198.18.0.1', 'benchmarking'],
    ['198.19.255.255', 'benchmarking'],
    ['2001:2::1', 'benchmarking'],
    ['192.0.0.1', 'reserved'],
    ['240.0.0.1', 'reserved'],
    ['255.255.255.254', 'reserved'],
    ['192.175.48.1', 'reserved'],
    ['2001:20::1', 'reserved'],
    ['100::1', 'reserved'],
    ['5f00::1', 'reserved'],
    ['4000::1', 'reserved'],
    ['::ffff:127.0.0.1', 'ipv4_mapped'],
    ['::ffff:7f00:1', 'ipv4_mapped'],
    ['::ffff:93.184.216.34', 'ipv4_mapped'],
    ['::127.0.0.1', 'ipv4_compatible'],
    ['::ffff:0:127.0.0.1', 'ipv4_translated'],
    ['64:ff9b::7f00:1', 'nat64'],
    ['64:ff9b::a9fe:a9fe', 'nat64'],
    ['64:ff9b::10.0.0.1', 'nat64'],
    ['64:ff9b:1::7f00:1', 'nat64'],
    ['64:ff9b:1::5db8:d822', 'nat64'],
    ['192.88.99.1', '6to4'],
    ['2002:7f00:1::', '6to4'],
    ['2002:5db8:d822::1', '6to4'],
    ['2001::1', 'teredo'],
    ['2001:0:5db8:d822::1', 'teredo'],
    ['2606:4700::5efe:7f00:1', 'isatap'],
    ['2606:4700::200:5efe:5db8:d822', 'isatap'],
    ['fec0::1', 'site_local'],
    ['feff::1', 'site_local'],
    ['', 'unreadable'],
    ['localhost', 'unreadable'],
    ['0x7f.1', 'unreadable'],
    ['2130706433', 'unreadable'],
    ['127.1', 'unreadable'],
    ['0177.0.0.1', 'unreadable'],
    ['fe80::1%eth0', 'unreadable'],
    ['[::1]', 'unreadable'],
    ['1.2.3.4 ', 'unreadable'],
  ])('judges %s as %s', (address, verdict) => {
    expect(addressVerdict(address)).toBe(verdict);
  });

  it('takes a public IPv4 address behind the well-known NAT64 prefix for public', () => {
    expect(addressVerdict('64:ff9b::5db8:d822')).toBe('public');
  });

  it('refuses whatever an independent table does not call unicast', () => {
    const address = fc.oneof(fc.ipV4(), fc.ipV6(), nearSpecialRange());
    fc.assert(
      fc.property(address, (text) => {
        const range = ipaddr.parse(text).range();
        if (range === 'unicast' || range === 'rfc6052') return;
        expect(mayDial(addressVerdict(text), false)).toBe(false);
      }),
      { numRuns: 2_000 },
    );
  });

  it('gives every IPv6 text of an IPv4 address a verdict that is not dialled as private', () => {
    fc.assert(
      fc.property(fc.ipV4(), (v4) => {
        expect(mayDial(addressVerdict(`::ffff:${v4}`), true)).toBe(false);
        expect(mayDial(addressVerdict(`::${v4}`), false)).toBe(false);
        const translated = addressVerdict(`64:ff9b::${v4}`);
        expect(translated === 'public').toBe(addressVerdict(v4) === 'public');
      }),
    );
  });
});

/** Addresses whose first bits are those of a special range, which random ones hardly ever are. */
function nearSpecialRange(): fc.Arbitrary<string> {
  const first = fc.constantFrom(
    '0',
    '10',
    '100',
    '127',
    '169',
    '172',
    '192',
    '198',
    '203',
    '224',
    '240',
    '255',
  );
  const octet = fc.nat(255);
  const v4 = fc
    .tuple(first, fc.oneof(octet, fc.constantFrom(0, 64, 88, 168, 175, 254)), octet, octet)
    .map((parts) => parts.join('.'));
  const start = fc.constantFrom(
    '::',
    '::ffff:',
    '64:ff9b::',
    '100::',
    '2001::',
    '2001:db8::',
    '2002::',
    'fc00::',
    'fe80::',
    'ff00::',
  );
  const v6 = fc.tuple(start, fc.nat(0xffff)).map(([prefix, rest]) => `${prefix}${rest.toString(16)}`);
  return fc.oneof(v4, v6);
}

describe('mayDial', () => {
  const refusedAlways = [
    'unspecified',
    'broadcast',
    'multicast',
    'documentation',
    'benchmarking',
    'reserved',
    'ipv4_mapped',
    'ipv4_compatible',
    'ipv4_translated',
    'nat64',
    '6to4',
    'teredo',
    'isatap',
    'site_local',
    'unreadable',
  ] as const;
  const liftable = ['private', 'loopback', 'link_local', 'cgnat', 'unique_local', 'cloud_metadata'] as const;

  it.each(refusedAlways)('never dials %s, with allow_private or without', (verdict) => {
    expect([mayDial(verdict, false), mayDial(verdict, true)]).toEqual([false, false]);
  });

  it.each(liftable)('dials %s with allow_private only', (verdict) => {
    expect([mayDial(verdict, false), mayDial(verdict, true)]).toEqual([false, true]);
  });

  it('dials public addresses', () => {
    expect([mayDial('public', false), mayDial('public', true)]).toEqual([true, true]);
  });
});

describe('sameAddress', () => {
  it('compares addresses, not spellings', () => {
    expect(sameAddress('2001:db8::1', '2001:DB8:0:0::1')).toBe(true);
    expect(sameAddress('127.0.0.1', '127.0.0.1')).toBe(true);
    expect(sameAddress('127.0.0.1', '127.0.0.2')).toBe(false);
    expect(sameAddress('::ffff:127.0.0.1', '127.0.0.1')).toBe(false);
    expect(sameAddress('x', 'x')).toBe(false);
  });
});
