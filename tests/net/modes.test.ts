import { expect, it } from 'vitest';
import { dataOf } from '../gateway/harness.js';
import { opened } from '../ui/kit/page.js';
import { connect, gatewayFor, netRows, outcomeOf, startWith, type Names } from './connections.js';

const PUBLIC = '93.184.216.34';
const SERVICE = 3000;

const NAMES: Names = {
  'listed.example': [PUBLIC],
  'moved.example': ['10.0.0.5'],
  'meant.example': ['10.0.0.6'],
  'public.example': [PUBLIC],
  'inside.example': ['10.0.0.7'],
  'shared.example': ['100.64.0.9'],
  'unique.example': ['fd12::1'],
  localhost: ['127.0.0.1', '::1'],
  'mixed.example': [PUBLIC, '127.0.0.1'],
  'metadata.google.internal': ['169.254.169.254'],
  'metadata6.example': ['fd00:ec2::254'],
  'half.example': [PUBLIC, '169.254.169.254'],
  'link.example': ['169.254.7.7'],
  'mapped.example': ['::ffff:127.0.0.1'],
  'nat.example': ['64:ff9b::a9fe:a9fe'],
  'any.example': ['0.0.0.0'],
  'many.example': ['224.0.0.1'],
  'fake.example': ['198.18.0.1'],
};

/**
 * `DOOR`: the port of the gateway's own door. The outcome in `enforce`, in `observe`, and what the record
 * then says of it.
 */
const PLACES: readonly (readonly [
  host: string,
  port: number | 'DOOR',
  enforce: string,
  observe: string,
  facts: Record<string, unknown>,
])[] = [
  ['listed.example', 443, 'ok', 'ok', { listed: true }],
  ['moved.example', 443, 'address_refused', 'ok', { listed: false, verdict: 'private', private: true }],
  ['meant.example', 443, 'ok', 'ok', { listed: true, verdict: 'private', private: true }],
  ['public.example', 443, 'not_allowed', 'ok', { listed: false }],
  ['inside.example', 443, 'not_allowed', 'ok', { listed: false, verdict: 'private', private: true }],
  ['shared.example', 443, 'not_allowed', 'ok', { listed: false, verdict: 'cgnat', private: true }],
  ['unique.example', 443, 'not_allowed', 'ok', { listed: false, verdict: 'unique_local', private: true }],
  ['localhost', SERVICE, 'not_allowed', 'ok', { listed: false, verdict: 'loopback', private: true }],
  ['mixed.example', 443, 'not_allowed', 'ok', { listed: false, verdict: 'loopback', private: true }],
  [PUBLIC, 443, 'not_allowed', 'ok', { listed: false, by: 'address' }],
  ['10.1.2.3', 3904, 'not_allowed', 'ok', { by: 'address', verdict: 'private', private: true }],
  ['10.1.2.4', 3904, 'ok', 'ok', { listed: true, by: 'address', verdict: 'private', private: true }],
  ['[::1]', SERVICE, 'not_allowed', 'ok', { by: 'address', verdict: 'loopback', private: true }],
  ['2130706433', SERVICE, 'not_allowed', 'ok', { by: 'address', verdict: 'loopback', private: true }],
  ['localhost', 'DOOR', 'not_allowed', 'address_refused', { verdict: 'own_listener', private: false }],
  ['127.0.0.1', 'DOOR', 'not_allowed', 'address_refused', { verdict: 'own_listener', private: false }],
  ['127.1', 'DOOR', 'not_allowed', 'address_refused', { verdict: 'own_listener' }],
  ['0x7f.1', 'DOOR', 'not_allowed', 'address_refused', { verdict: 'own_listener' }],
  ['127.9.9.9', 'DOOR', 'not_allowed', 'address_refused', { verdict: 'own_listener' }],
  ['[::1]', 'DOOR', 'not_allowed', 'address_refused', { verdict: 'own_listener' }],
  [
    '[::ffff:127.0.0.1]',
    'DOOR',
    'not_allowed',
    'address_refused',
    { verdict: 'ipv4_mapped', private: false },
  ],
  ['0.0.0.0', 'DOOR', 'not_allowed', 'address_refused', { verdict: 'unspecified', private: false }],
  ['[::]', 'DOOR', 'not_allowed', 'address_refused', { verdict: 'unspecified', private: false }],
  ['169.254.169.254', 80, 'not_allowed', 'address_refused', { verdict: 'cloud_metadata', private: true }],
  ['[fd00:ec2::254]', 80, 'not_allowed', 'address_refused', { verdict: 'cloud_metadata' }],
  ['100.100.100.200', 80, 'not_allowed', 'address_refused', { verdict: 'cloud_metadata' }],
  ['localhost', 40_342, 'not_allowed', 'address_refused', { verdict: 'cloud_metadata', private: true }],
  ['127.1', 40_342, 'not_allowed', 'address_refused', { verdict: 'cloud_metadata' }],
  ['[::1]', 988, 'not_allowed', 'address_refused', { verdict: 'cloud_metadata' }],
  ['169.254.170.99', 80, 'not_allowed', 'address_refused', { verdict: 'link_local' }],
  ['[fe80::1]', 80, 'not_allowed', 'address_refused', { verdict: 'link_local' }],
  ['metadata.google.internal', 80, 'not_allowed', 'address_refused', { verdict: 'cloud_metadata' }],
  ['metadata6.example', 80, 'not_allowed', 'address_refused', { verdict: 'cloud_metadata' }],
  ['half.example', 80, 'not_allowed', 'address_refused', { verdict: 'cloud_metadata' }],
  ['link.example', 80, 'not_allowed', 'address_refused', { verdict: 'link_local' }],
  ['mapped.example', 80, 'not_allowed', 'address_refused', { verdict: 'ipv4_mapped', private: false }],
  ['nat.example', 80, 'not_allowed', 'address_refused', { verdict: 'nat64', private: false }],
  ['any.example', 80, 'not_allowed', 'address_refused', { verdict: 'unspecified', private: false }],
  ['many.example', 80, 'not_allowed', 'address_refused', { verdict: 'multicast', private: false }],
  ['fake.example', 80, 'not_allowed', 'address_refused', { verdict: 'benchmarking', private: false }],
  ['224.0.0.1', 80, 'not_allowed', 'address_refused', { verdict: 'multicast', private: false }],
  ['255.255.255.255', 80, 'not_allowed', 'address_refused', { verdict: 'broadcast', private: false }],
  ['[[public.example]]', 443, 'invalid_request', 'invalid_request', { listed: false }],
  ['public.example:443@evil.example', 443, 'invalid_request', 'invalid_request', { listed: false }],
  ['evil.example\u0000.public.example', 443, 'invalid_request', 'invalid_request', { listed: false }],
  ['public%2eexample', 443, 'invalid_request', 'invalid_request', { listed: false }],
  ['public..example', 443, 'invalid_request', 'invalid_request', { listed: false }],
  ['gone.example', 443, 'not_allowed', 'resolve_failed', { listed: false }],
  ['240.0.0.1', 80, 'not_allowed', 'address_refused', { verdict: 'reserved', private: false }],
];

it('what a mode lets through: `enforce` what is listed, `observe` all but metadata, no hosts and the gateway’s own doors', async () => {
  for (const mode of ['enforce', 'observe'] as const) {
    const world = await startWith(NAMES, `mode = "${mode}"\nconnections_per_minute = 1000`);
    const operator = await world.operator();
    const { port: door } = dataOf(await operator.request('http.listen', {})) as { port: number };
    await operator.request('allow.add', { host: 'listed.example' });
    await operator.request('allow.add', { host: 'moved.example' });
    await operator.request('allow.add', { host: 'meant.example', allow_private: true });
    await operator.request('allow.add', { host: '10.1.2.4', port: 3904, allow_private: true });
    const asker = gatewayFor(world, await world.run());
    const found: unknown[] = [];
    for (const [host, port] of PLACES)
      found.push([host, port, outcomeOf(await connect(asker, host, port === 'DOOR' ? door : port))]);
    expect(found).toEqual(
      PLACES.map(([host, port, enforce, observe]) => [host, port, mode === 'enforce' ? enforce : observe]),
    );
    const asked = netRows(world).filter(({ type }) => type !== 'anomaly');
    if (mode === 'observe')
      expect(asked.map(({ data }) => data['facts'])).toEqual(
        PLACES.map(([host, , , , facts]) => expect.objectContaining({ host, ...facts })),
      );
    expect(asked.filter(({ type }) => type === 'action_pending')).toHaveLength(
      found.filter((one) => (one as string[])[2] === 'ok').length,
    );
    // So is the door of the page, once it is open.
    const { door: page } = await opened(operator);
    const refused = mode === 'enforce' ? 'not_allowed' : 'address_refused';
    expect(outcomeOf(await connect(asker, '127.0.0.1', page.port))).toBe(refused);
    const [told] = netRows(world).slice(-1);
    if (mode === 'observe') expect(told?.data).toMatchObject({ facts: { verdict: 'own_listener' } });

    await world.gateway.stop('test');
  }
});

it('what was judged is what is dialled: an unlisted name that moves inside takes its own addresses with it', async () => {
  const names: Names = { 'a.example': [PUBLIC] };
  const world = await startWith(names);
  const asker = gatewayFor(world, await world.run());
  expect(dataOf(await connect(asker, 'a.example'))).toMatchObject({
    addresses: [PUBLIC],
    allow_private: false,
  });
  names['a.example'] = ['10.0.0.5', '10.0.0.6'];
  expect(dataOf(await connect(asker, 'a.example'))).toMatchObject({
    addresses: ['10.0.0.5', '10.0.0.6'],
    allow_private: true,
    listed: false,
  });
});
