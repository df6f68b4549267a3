import { httpRunToken, proxyRunToken } from '@subluminal/core-types';
import type { LedgerRow } from '@subluminal/ledger';
import { describe, expect, it } from 'vitest';
import { ECH, helloFor, helloMessage, record, records } from './hello.js';
import { ALLOWED, Peer, proxyWorld, tcp, tunnel, type ProxyWorld } from './world.js';
import { watchEachTest } from '../support/watch.js';

watchEachTest();

/** What is known here of what a name leads to. */
const ADDRESSES: Readonly<Record<string, readonly string[]>> = {
  'private.example': ['10.0.0.1'],
  'loopback.example': ['127.0.0.1'],
  'metadata.example': ['169.254.169.254'],
  'nat64.example': ['64:ff9b::a9fe:a9fe'],
  'mapped.example': ['::ffff:127.0.0.1'],
  'mixed.example': ['93.184.216.34', '127.0.0.1'],
  'compatible.example': ['::127.0.0.1'],
};
/** Listed, for addresses of the world outside only. */
const PUBLIC_ONLY = ['private.example', 'loopback.example', 'metadata.example', 'mixed.example'];
/** Listed, with leave for private addresses. */
const PRIVATE_TOO = [ALLOWED, 'nat64.example', 'mapped.example', 'compatible.example'];

/** What a client saw: the status and code of an answer, or what came behind one. */
function seen(text: string): string {
  const [head = '', body = ''] = text.split('\r\n\r\n');
  const status = /^HTTP\/1\.1 ([0-9]{3}) ([a-z_]*)/.exec(head);
  if (status?.[1] === '200') return body === '' ? 'nothing' : seen(text.slice(head.length + 4));
  if (status !== null) return `${status[1]} ${status[2]}`;
  return Buffer.from(text, 'latin1').toString('hex') || 'nothing';
}

const ALERT = '15030300020270';
type Attempt = (world: ProxyWorld, port: number) => Promise<string>;

/** A request as it stands, with the run's token. */
function asks(write: (port: number, world: ProxyWorld) => string): Attempt {
  return async (world, port) => {
    const text = write(port, world).replace('\r\n', `\r\nProxy-Authorization: ${world.authorization}\r\n`);
    return seen(await new Peer(world.port).send(text).over());
  };
}

const connects = (target: string): Attempt =>
  asks((port) => `CONNECT ${target.replace('PORT', String(port))} HTTP/1.1\r\n\r\n`);
const gets = (url: string): Attempt =>
  asks((port) => {
    const full = url.replace('PORT', String(port));
    return `GET ${full} HTTP/1.1\r\nHost: ${full.split('/')[2] ?? ''}\r\n\r\n`;
  });
const fields = (lines: string, method = 'POST', body = ''): Attempt =>
  asks((port) => {
    const host = `${ALLOWED}:${port}`;
    return `${method} http://${host}/ HTTP/1.1\r\nHost: ${host}\r\n${lines}\r\n${body}`;
  });

/** Opens a tunnel to the allowed name and says something else than it should. */
const through =
  (...pieces: readonly (Buffer | string)[]): Attempt =>
  async (world, port) => {
    const peer = await tunnel(world, `${ALLOWED}:${port}`);
    for (const piece of pieces) peer.send(piece);
    return seen(await peer.over());
  };

const LOGIN = (user: string, password: string): Buffer =>
  Buffer.concat([
    Buffer.from([1, user.length]),
    Buffer.from(user),
    Buffer.from([password.length]),
    Buffer.from(password),
  ]);

const named = (name: string): Buffer =>
  Buffer.concat([Buffer.from([3, name.length]), Buffer.from(name, 'latin1')]);

/** Speaks SOCKS5 and gives what came behind the login. */
const socks =
  (address: Buffer, more: Buffer | string = '', command = 1): Attempt =>
  async (world, port) => {
    const peer = new Peer(world.port);
    peer.send(Buffer.from([5, 1, 2])).send(LOGIN('run', world.token));
    const asked = Buffer.concat([
      Buffer.from([5, command, 0]),
      address,
      Buffer.from([port >> 8, port & 255]),
    ]);
    peer.send(asked).send(more);
    const text = await peer.over();
    return (
      Buffer.from(text.slice(4, 6), 'latin1').toString('hex') +
      (text.length > 14 ? ` ${seen(text.slice(14))}` : '')
    );
  };

/** What entries about connections hold. */
interface Recorded {
  readonly error?: { readonly code: string };
  readonly facts?: { readonly host: string; readonly port: number; readonly address?: string };
  readonly address?: string;
}

/** What the record has of it: the decision, and the end of what was let through. */
function recorded(rows: readonly LedgerRow[], port: number): string {
  const lines = rows
    .filter(({ tool, type }) => tool === 'net.connect' && type !== 'anomaly')
    .map(({ type, data }) => {
      const { error, facts, address } = data as unknown as Recorded;
      const code = error === undefined ? '' : ` ${error.code}`;
      const where = facts === undefined ? '' : ` ${facts.host}:${facts.port}`;
      const at = facts?.address ?? address;
      return `${type.replace('action_', '')}${code}${where}${at === undefined ? '' : ` at ${at}`}`;
    });
  return lines
    .join('; ')
    .replaceAll(`:${port}`, ':PORT')
    .replaceAll(/[^\x20-\x7e]/g, '?');
}

type Attack = readonly [name: string, attempt: Attempt, saw: string, record: string];

const refused = (host: string, port: string | number = 'PORT', code = 'not_allowed', at = ''): string =>
  `rejected ${code} ${host}:${port}${at === '' ? '' : ` at ${at}`}`;
/** Let through to the allowed name, and ended by what came first. */
const cutOff = (code: string): string => `pending ${ALLOWED}:PORT; result ${code} at 127.0.0.1`;

const hidden = (name: string): Buffer => helloFor(name, { extensions: [[ECH, Buffer.alloc(64)]] });
const evil = helloMessage({ names: ['evil.example'] });

const ATTACKS: readonly Attack[] = [
  // Addresses for names.
  ['an address', gets('http://93.184.216.34:PORT/'), '403 not_allowed', refused('93.184.216.34')],
  [
    'the metadata of a cloud',
    gets('http://169.254.169.254/latest'),
    '403 not_allowed',
    refused('169.254.169.254', 80),
  ],
  ['an address in a tunnel', connects('1.1.1.1:8443'), '403 not_allowed', refused('1.1.1.1', 8443)],
  ['this machine', connects('127.0.0.1:PORT'), '403 not_allowed', refused('127.0.0.1')],
  ['this machine by its name', connects('localhost:PORT'), '403 not_allowed', refused('localhost')],
  ['this machine in hex', connects('0x7f.1:PORT'), '403 not_allowed', refused('0x7f.1')],
  ['this machine as a number', connects('2130706433:PORT'), '403 not_allowed', refused('2130706433')],
  ['this machine in octal', connects('0177.0.0.1:PORT'), '403 not_allowed', refused('0177.0.0.1')],
  ['this machine, short', connects('127.1:PORT'), '403 not_allowed', refused('127.1')],
  ['no address', connects('0:PORT'), '403 not_allowed', refused('0')],
  [
    'an IPv6 address',
    gets('http://[2606:4700:4700::1111]/'),
    '403 not_allowed',
    refused('[2606:4700:4700::1111]', 80),
  ],
  ['IPv4 in IPv6', gets('http://[::ffff:127.0.0.1]:PORT/'), '403 not_allowed', refused('[::ffff:127.0.0.1]')],
  ['NAT64', connects('[64:ff9b::a9fe:a9fe]:443'), '403 not_allowed', refused('[64:ff9b::a9fe:a9fe]', 443)],
  // Names that are nearly it.
  ['another name', connects('evil.example:PORT'), '403 not_allowed', refused('evil.example')],
  [
    'a name that ends with it',
    connects(`evil-${ALLOWED}:PORT`),
    '403 not_allowed',
    refused(`evil-${ALLOWED}`),
  ],
  [
    'a name that begins with it',
    connects(`${ALLOWED}.evil.test:PORT`),
    '403 not_allowed',
    refused(`${ALLOWED}.evil.test`),
  ],
  ['a name below it', connects(`sub.${ALLOWED}:PORT`), '403 not_allowed', refused(`sub.${ALLOWED}`)],
  [
    'a name that looks like it',
    connects('xn--llowed-2fg.example:PORT'),
    '403 not_allowed',
    refused('xn--llowed-2fg.example'),
  ],
  ['a name that is not ASCII', connects('\xd0\xb0llowed.example:PORT'), '400 invalid_request', ''],
  [
    'a name in percents',
    connects('%61llowed.example:PORT'),
    '400 invalid_request',
    refused('%61llowed.example', 'PORT', 'invalid_request'),
  ],
  [
    'a dot in percents',
    gets(`http://evil.test%2e${ALLOWED}:PORT/`),
    '400 invalid_request',
    refused(`evil.test%2e${ALLOWED}`, 'PORT', 'invalid_request'),
  ],
  [
    'an asterisk',
    connects('*.example:PORT'),
    '400 invalid_request',
    refused('*.example', 'PORT', 'invalid_request'),
  ],
  [
    'an empty label',
    connects('allowed..example:PORT'),
    '400 invalid_request',
    refused('allowed..example', 'PORT', 'invalid_request'),
  ],
  ['brackets around a name', connects(`[[${ALLOWED}]]:PORT`), '400 invalid_request', ''],
  ['a user', connects(`${ALLOWED}:443@evil.example:PORT`), '400 invalid_request', ''],
  ['a user in a URL', gets(`http://${ALLOWED}@evil.example:PORT/`), '400 invalid_request', ''],
  [
    'a line end in the name',
    connects('evil.example%0d%0aHost:PORT'),
    '400 invalid_request',
    refused('evil.example%0d%0aHost', 'PORT', 'invalid_request'),
  ],
  // Names that lead inside.
  [
    'a name of 10.0.0.1',
    connects('private.example:443'),
    '403 address_refused',
    refused('private.example', 443, 'address_refused', '10.0.0.1'),
  ],
  [
    'a name of this machine',
    connects('loopback.example:PORT'),
    '403 address_refused',
    refused('loopback.example', 'PORT', 'address_refused', '127.0.0.1'),
  ],
  [
    'a name of the metadata',
    gets('http://metadata.example/'),
    '403 address_refused',
    refused('metadata.example', 80, 'address_refused', '169.254.169.254'),
  ],
  [
    'a name of several',
    connects('mixed.example:PORT'),
    '403 address_refused',
    refused('mixed.example', 'PORT', 'address_refused', '127.0.0.1'),
  ],
  [
    'a name of NAT64',
    connects('nat64.example:PORT'),
    '403 address_refused',
    refused('nat64.example', 'PORT', 'address_refused', '64:ff9b::a9fe:a9fe'),
  ],
  [
    'a name of IPv4 in IPv6',
    connects('mapped.example:PORT'),
    '403 address_refused',
    refused('mapped.example', 'PORT', 'address_refused', '::ffff:127.0.0.1'),
  ],
  [
    'a name of the old form',
    connects('compatible.example:PORT'),
    '403 address_refused',
    refused('compatible.example', 'PORT', 'address_refused', '::127.0.0.1'),
  ],
  [
    'the proxy itself',
    asks((_, { port }) => `CONNECT ${ALLOWED}:${port} HTTP/1.1\r\n\r\n`),
    '403 address_refused',
    refused(ALLOWED, 'PROXY', 'address_refused', '127.0.0.1'),
  ],
  // What stands inside of a tunnel.
  ['another name in the handshake', through(helloFor('evil.example')), ALERT, cutOff('name_mismatch')],
  ['no name in the handshake', through(records(helloMessage({}))), ALERT, cutOff('name_mismatch')],
  ['a name below it in the handshake', through(helloFor(`sub.${ALLOWED}`)), ALERT, cutOff('name_mismatch')],
  ['an address in the handshake', through(helloFor('127.0.0.1')), ALERT, cutOff('name_mismatch')],
  [
    'two names in the handshake',
    through(records(helloMessage({ names: [ALLOWED, 'evil.example'] }))),
    ALERT,
    cutOff('protocol_refused'),
  ],
  ['a NUL in the name', through(helloFor(`${ALLOWED}\0.evil.example`)), ALERT, cutOff('protocol_refused')],
  ['a name in fragments', through(records(evil, 1)), ALERT, cutOff('name_mismatch')],
  [
    'a name in the second record',
    through(record(22, evil.subarray(0, 30)), record(22, evil.subarray(30))),
    ALERT,
    cutOff('name_mismatch'),
  ],
  ['a hidden name (ECH)', through(hidden(ALLOWED)), ALERT, cutOff('name_mismatch')],
  ['a hidden name behind another', through(hidden('cloud.example')), ALERT, cutOff('name_mismatch')],
  [
    'half a handshake and data',
    through(record(22, evil.subarray(0, 30)), record(23, Buffer.from('x'))),
    ALERT,
    cutOff('protocol_refused'),
  ],
  [
    'SSLv2',
    through(Buffer.from('802e0100020015000000100100800200800300800400800500800600', 'hex')),
    '403 protocol_refused',
    cutOff('protocol_refused'),
  ],
  ['SSH', through('SSH-2.0-x\r\n'), '403 protocol_refused', cutOff('protocol_refused')],
  [
    'HTTP without TLS, for another host',
    through(`GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n`),
    '400 invalid_request',
    cutOff('invalid_request'),
  ],
  [
    'HTTP without TLS, in absolute form',
    through(`GET http://evil.example/ HTTP/1.1\r\nHost: evil.example\r\n\r\n`),
    '400 invalid_request',
    cutOff('invalid_request'),
  ],
  [
    'HTTP without TLS, with a second request behind it',
    (world, port) =>
      through(
        `GET / HTTP/1.1\r\nHost: ${ALLOWED}:${port}\r\n\r\nGET / HTTP/1.1\r\nHost: evil.example\r\n\r\n`,
      )(world, port),
    '400 invalid_request',
    cutOff('invalid_request'),
  ],
  [
    'a tunnel in the tunnel',
    through('CONNECT evil.example:443 HTTP/1.1\r\n\r\n'),
    '403 protocol_refused',
    cutOff('protocol_refused'),
  ],
  [
    'HTTP/2 without TLS',
    through('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
    '403 protocol_refused',
    cutOff('protocol_refused'),
  ],
  // Requests that are read in two ways.
  [
    'another Host',
    asks((port) => `GET http://${ALLOWED}:${port}/ HTTP/1.1\r\nHost: evil.example\r\n\r\n`),
    '400 invalid_request',
    '',
  ],
  ['two Hosts', fields('Host: evil.example\r\n'), '400 invalid_request', ''],
  [
    'another Host of a tunnel',
    asks((port) => `CONNECT ${ALLOWED}:${port} HTTP/1.1\r\nHost: evil.example:${port}\r\n\r\n`),
    '400 invalid_request',
    '',
  ],
  [
    'a length and chunks',
    fields('Content-Length: 4\r\nTransfer-Encoding: chunked\r\n', 'POST', '0\r\n\r\n'),
    '400 invalid_request',
    '',
  ],
  [
    'chunks twice',
    fields('Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n'),
    '400 invalid_request',
    '',
  ],
  ['folded chunks', fields('Transfer-Encoding:\r\n chunked\r\n'), '400 invalid_request', ''],
  [
    'a LF alone',
    asks((port) => `GET http://${ALLOWED}:${port}/ HTTP/1.1\r\nX: 1\nHost: evil.example\r\n\r\n`),
    '400 invalid_request',
    '',
  ],
  [
    'a GET with a body',
    fields('Content-Length: 30\r\n', 'GET', 'GET / HTTP/1.1\r\nHost: evil\r\n\r\n'),
    '400 invalid_request',
    '',
  ],
  [
    'another request behind it',
    fields('', 'GET', `GET http://evil.example/ HTTP/1.1\r\nHost: evil.example\r\n\r\n`),
    '400 invalid_request',
    '',
  ],
  [
    'chunks with an extension',
    fields('Transfer-Encoding: chunked\r\n', 'POST', '1;a=b\r\nx\r\n0\r\n\r\n'),
    '400 invalid_request',
    '',
  ],
  [
    'https in the clear',
    asks(() => `GET https://${ALLOWED}/ HTTP/1.1\r\nHost: ${ALLOWED}\r\n\r\n`),
    '400 invalid_request',
    '',
  ],
  [
    'another scheme',
    asks(() => `GET ftp://${ALLOWED}/ HTTP/1.1\r\nHost: ${ALLOWED}\r\n\r\n`),
    '400 invalid_request',
    '',
  ],
  // SOCKS5.
  [
    'a NUL over SOCKS',
    socks(named(`evil.test\0.${ALLOWED}`)),
    '0502',
    refused(`evil.test?.${ALLOWED}`, 'PORT', 'invalid_request'),
  ],
  ['another name over SOCKS', socks(named('evil.example')), '0502', refused('evil.example')],
  ['an address over SOCKS', socks(Buffer.from([1, 169, 254, 169, 254])), '0502', refused('169.254.169.254')],
  [
    'IPv4 in IPv6 over SOCKS',
    socks(Buffer.from('0400000000000000000000ffffa9fea9fe', 'hex')),
    '0502',
    refused('0:0:0:0:0:ffff:a9fe:a9fe'),
  ],
  ['BIND', socks(named(ALLOWED), '', 2), '0507', ''],
  ['UDP', socks(named(ALLOWED), '', 3), '0507', ''],
  [
    'another name in the handshake over SOCKS',
    socks(named(ALLOWED), helloFor('evil.example')),
    `0500 ${ALERT}`,
    cutOff('name_mismatch'),
  ],
  [
    'SSH over SOCKS',
    socks(named(ALLOWED), 'SSH-2.0-x\r\n'),
    '0500 403 protocol_refused',
    cutOff('protocol_refused'),
  ],
];

/** Clients that show no token, or a wrong one. */
function strangers(world: ProxyWorld, ended: string): Record<string, () => Promise<string>> {
  const shows = (authorization: string) => (): Promise<string> => {
    const lines = authorization === '' ? '' : `Proxy-Authorization: ${authorization}\r\n`;
    return new Peer(world.port).send(`CONNECT ${ALLOWED}:443 HTTP/1.1\r\n${lines}\r\n`).over().then(seen);
  };
  const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`;
  const speaks = (bytes: Buffer) => (): Promise<string> => new Peer(world.port).send(bytes).over().then(seen);
  const made = `subp_${world.run.id}_${'A'.repeat(43)}`;
  return {
    'no token': shows(''),
    'another kind of token': shows(basic(`run:${httpRunToken(world.run.credential)}`)),
    'a made up token': shows(basic(`run:${made}`)),
    'a token of a run that is not': shows(basic(`run:${world.token.replace(world.run.id, '0'.repeat(26))}`)),
    'a token that is no login': shows(`Bearer ${world.token}`),
    'a token of an ended run': shows(basic(`run:${ended}`)),
    'two tokens': shows(`${basic(`run:${made}`)}\r\nProxy-Authorization: ${world.authorization}`),
    'SOCKS without a login': speaks(Buffer.from([5, 1, 0])),
    'SOCKS with a made up token': speaks(Buffer.concat([Buffer.from([5, 1, 2]), LOGIN('run', made)])),
    garbage: speaks(Buffer.from('SSH-2.0-x\r\n\r\n')),
  };
}

describe('what does not belong where it was let to', () => {
  it(`goes nowhere, in ${ATTACKS.length} ways, and stands in the record`, async () => {
    const world = await proxyWorld({
      allowed: PRIVATE_TOO,
      addresses: (host) => ADDRESSES[host] ?? ['127.0.0.1'],
    });
    for (const host of PUBLIC_ONLY) await world.allow(host, { allow_private: false });
    const trap = await tcp();
    world.news();
    const results: Record<string, readonly string[]> = {};
    for (const [name, attempt] of ATTACKS) {
      const saw = await attempt(world, trap.port);
      await world.settled();
      const row = recorded(world.news(), trap.port).replaceAll(`:${world.port}`, ':PROXY');
      results[name] = [saw, row];
    }
    expect(results).toEqual(Object.fromEntries(ATTACKS.map(([name, , saw, row]) => [name, [saw, row]])));
    expect(trap.bytes()).toBe(0);
    expect(await world.gateway.verify()).not.toBe('tampered');
  });

  it('costs nothing durable where no token was shown', async () => {
    const world = await proxyWorld();
    const other = await world.gateway.run();
    const ended = proxyRunToken(other.credential);
    await other.client.request('run.end', { status: 'SUCCEEDED' });
    world.news();
    const results: Record<string, string> = {};
    for (const [name, attempt] of Object.entries(strangers(world, ended))) results[name] = await attempt();
    expect(results).toEqual({
      'no token': '407 not_permitted',
      'another kind of token': '407 not_permitted',
      'a made up token': '407 not_permitted',
      'a token of a run that is not': '407 not_permitted',
      'a token that is no login': '407 not_permitted',
      'a token of an ended run': '403 run_ended',
      'two tokens': '400 invalid_request',
      'SOCKS without a login': '05ff',
      'SOCKS with a made up token': '05020101',
      garbage: '400 invalid_request',
    });
    const counts = (): Record<string, number> => {
      const sum: Record<string, number> = {};
      for (const { data } of world.gateway.rows('peers_refused'))
        for (const [reason, count] of Object.entries(data['counts'] as Record<string, number>))
          sum[reason] = (sum[reason] ?? 0) + count;
      return sum;
    };
    await expect.poll(counts, { timeout: 5000 }).toEqual({ proxy_token: 6, proxy_form: 3 });
    expect(world.news().filter(({ tool }) => tool === 'net.connect')).toEqual([]);
  });
});
