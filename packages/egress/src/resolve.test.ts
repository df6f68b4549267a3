import { SublError } from '@subluminal/core-types';
import { describe, expect, it } from 'vitest';
import { parseDestination } from './destination.js';
import { type Resolver, resolveDestination } from './resolve.js';

const never = new AbortController().signal;

/** Answers the lists in turn, and counts how often it was asked. */
function scripted(...answers: (readonly string[])[]): Resolver & { asked: string[] } {
  const asked: string[] = [];
  return {
    asked,
    resolve(host) {
      asked.push(host);
      return Promise.resolve(answers[asked.length - 1] ?? []);
    },
  };
}

function resolveWith(resolver: Resolver, endpoint: string, allowPrivate = false) {
  return resolveDestination(parseDestination(endpoint), {
    resolver,
    asker: undefined,
    allowPrivate,
    signal: never,
    timeoutMs: 5_000,
  });
}

describe('resolveDestination', () => {
  it('gives the addresses that were judged, in their order', async () => {
    const checked = await resolveWith(
      scripted(['93.184.216.34', '2606:4700::1111']),
      'https://api.example.com/',
    );
    expect(checked).toEqual({
      protocol: 'https',
      host: 'api.example.com',
      port: 443,
      origin: 'https://api.example.com',
      addresses: ['93.184.216.34', '2606:4700::1111'],
      allowPrivate: false,
    });
  });

  it('resolves once, so that a name that turns private a moment later gains nothing', async () => {
    const resolver = scripted(['93.184.216.34'], ['127.0.0.1']);
    const checked = await resolveWith(resolver, 'http://rebind.test/');
    expect(resolver.asked).toEqual(['rebind.test']);
    expect(checked.addresses).toEqual(['93.184.216.34']);
  });

  it.each([
    ['http://127.0.0.1.nip.test/', '127.0.0.1', 'loopback'],
    ['http://localtest.test/', '::1', 'loopback'],
    ['http://metadata.test/', '169.254.169.254', 'cloud_metadata'],
    ['http://arc.test:40342/', '127.0.0.1', 'cloud_metadata'],
    ['http://gke.test:988/', '::1', 'cloud_metadata'],
    ['http://nat64.test/', '64:ff9b::a9fe:a9fe', 'nat64'],
    ['http://mapped.test/', '::ffff:127.0.0.1', 'ipv4_mapped'],
    ['http://intranet.test/', '10.1.2.3', 'private'],
    ['http://zone.test/', 'fe80::1%eth0', 'unreadable'],
  ])('refuses %s, which resolves to %s (%s)', async (endpoint, address, verdict) => {
    await expect(resolveWith(scripted([address]), endpoint)).rejects.toMatchObject({
      code: 'address_refused',
      details: { address, verdict },
    });
  });

  it.each([
    ['http://0x7f.1/', '127.0.0.1', 'loopback'],
    ['http://2130706433/', '127.0.0.1', 'loopback'],
    ['http://127.1/', '127.0.0.1', 'loopback'],
    ['http://[::ffff:127.0.0.1]/', '::ffff:7f00:1', 'ipv4_mapped'],
    ['http://[64:ff9b::7f00:1]/', '64:ff9b::7f00:1', 'nat64'],
    ['http://[fd00:ec2::254]/', 'fd00:ec2::254', 'cloud_metadata'],
    ['http://[::]/', '::', 'unspecified'],
    ['http://0/', '0.0.0.0', 'unspecified'],
  ])('refuses the address %s without asking a resolver', async (endpoint, address, verdict) => {
    const resolver = scripted(['93.184.216.34']);
    await expect(resolveWith(resolver, endpoint)).rejects.toMatchObject({
      code: 'address_refused',
      details: { address, verdict },
    });
    expect(resolver.asked).toEqual([]);
  });

  it('refuses the whole destination if one address is refused', async () => {
    const mixed = scripted(['93.184.216.34', '10.0.0.1']);
    await expect(resolveWith(mixed, 'https://mixed.test/')).rejects.toMatchObject({
      code: 'address_refused',
      message: '`https://mixed.test` is refused: it resolves to `10.0.0.1` (private)',
    });
  });

  it('lifts private addresses, and only those, where the entry says so', async () => {
    const checked = await resolveWith(scripted(['10.0.0.1', '127.0.0.1']), 'http://intranet.test/', true);
    expect(checked.allowPrivate).toBe(true);
    await expect(resolveWith(scripted(['224.0.0.1']), 'http://intranet.test/', true)).rejects.toMatchObject({
      details: { verdict: 'multicast' },
    });
    await expect(resolveWith(scripted(['0.0.0.0']), 'http://intranet.test/', true)).rejects.toMatchObject({
      details: { verdict: 'unspecified' },
    });
  });

  it('refuses a name without addresses, and one with more than any honest name has', async () => {
    await expect(resolveWith(scripted([]), 'http://empty.test/')).rejects.toMatchObject({
      code: 'resolve_failed',
    });
    const many = Array.from({ length: 65 }, (_, index) => `93.184.216.${index}`);
    await expect(resolveWith(scripted(many), 'http://many.test/')).rejects.toMatchObject({
      code: 'resolve_failed',
    });
  });

  it('gives up on a resolver that does not answer', async () => {
    const silent: Resolver = { resolve: () => new Promise(() => {}) };
    const destination = parseDestination('http://silent.test/');
    const options = { resolver: silent, asker: undefined, allowPrivate: false, signal: never, timeoutMs: 20 };
    await expect(resolveDestination(destination, options)).rejects.toMatchObject({ code: 'timed_out' });
  });

  it('ends with the reason of the caller', async () => {
    const silent: Resolver = { resolve: () => new Promise(() => {}) };
    const caller = new AbortController();
    const options = {
      resolver: silent,
      asker: undefined,
      allowPrivate: false,
      signal: caller.signal,
      timeoutMs: 60_000,
    };
    const asked = resolveDestination(parseDestination('http://silent.test/'), options);
    caller.abort(new SublError('shutting_down', 'the gateway is stopping'));
    await expect(asked).rejects.toMatchObject({ code: 'shutting_down' });
    await expect(resolveDestination(parseDestination('http://silent.test/'), options)).rejects.toMatchObject({
      code: 'shutting_down',
    });
  });

  it('names the host and the code when the resolver fails', async () => {
    const failing: Resolver = {
      resolve: () => Promise.reject(Object.assign(new Error('getaddrinfo'), { code: 'ENOTFOUND' })),
    };
    await expect(resolveWith(failing, 'https://gone.test/')).rejects.toMatchObject({
      code: 'resolve_failed',
      message: '`gone.test` cannot be resolved (ENOTFOUND)',
    });
  });
});
