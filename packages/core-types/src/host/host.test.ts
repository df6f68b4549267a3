import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hostInUrl, readHost } from './host.js';

describe('readHost', () => {
  it.each([
    ['api.example.com', 'name', 'api.example.com'],
    ['API.Example.COM', 'name', 'api.example.com'],
    ['api.example.com.', 'name', 'api.example.com'],
    ['bücher.example', 'name', 'xn--bcher-kva.example'],
    ['BÜCHER.example', 'name', 'xn--bcher-kva.example'],
    ['xn--bcher-kva.example', 'name', 'xn--bcher-kva.example'],
    ['api。example．com', 'name', 'api.example.com'],
    ['%61pi.example.com', 'name', 'api.example.com'],
    ['_dmarc.example.com', 'name', '_dmarc.example.com'],
    ['localhost', 'name', 'localhost'],
    ['127.0.0.1', 'ipv4', '127.0.0.1'],
    ['127.0.0.1.', 'ipv4', '127.0.0.1'],
    ['0x7f.1', 'ipv4', '127.0.0.1'],
    ['2130706433', 'ipv4', '127.0.0.1'],
    ['127.1', 'ipv4', '127.0.0.1'],
    ['0177.0.0.1', 'ipv4', '127.0.0.1'],
    ['127%2e0.0.1', 'ipv4', '127.0.0.1'],
    ['①②⑦.0.0.1', 'ipv4', '127.0.0.1'],
    ['[::1]', 'ipv6', '::1'],
    ['::1', 'ipv6', '::1'],
    ['[0:0:0:0:0:0:0:1]', 'ipv6', '::1'],
    ['[::ffff:127.0.0.1]', 'ipv6', '::ffff:7f00:1'],
    ['[2001:DB8::A]', 'ipv6', '2001:db8::a'],
  ])('reads `%s` as %s `%s`', (text, kind, host) => {
    expect(readHost(text)).toEqual({ ok: true, kind, host });
  });

  it.each([
    [''],
    ['.'],
    ['..'],
    ['example..com'],
    ['.example.com'],
    ['example.com..'],
    ['*.google.com'],
    ['*'],
    ['exa*mple.com'],
    ['%2a.google.com'],
    ['example.com:443'],
    ['user@example.com'],
    ['example.com/path'],
    ['example.com?x'],
    ['example.com#x'],
    ['example.com\\evil.test'],
    ['exam ple.com'],
    ['example.com\n'],
    ['evil.test\u0000.example.com'],
    ['\u00a0example.com'],
    ['[[example.com]]'],
    ['[example.com]'],
    ['[::1'],
    ['::1]'],
    ['[fe80::1%25eth0]'],
    ['fe80::1%eth0'],
    ['[::1]:80'],
    ['-example.com'],
    ['example-.com'],
    ['1.2.3.256'],
    ['1.2.3.4.5'],
    ['example.0x7f'],
    ['exam<ple.com'],
  ])('refuses `%s`', (text) => {
    expect(readHost(text)).toMatchObject({ ok: false });
  });

  it('a label of punycode that stands for nothing is refused or itself, as Node has it, and never another', () => {
    const reading = readHost('XN--a.example');
    expect(reading.ok ? reading.host : 'xn--a.example').toBe('xn--a.example');
  });

  it('refuses labels over 63 characters, names over 253, and longer texts unread', () => {
    expect(readHost(`${'a'.repeat(63)}.com`)).toMatchObject({ ok: true });
    expect(readHost(`${'a'.repeat(64)}.com`)).toMatchObject({ ok: false });
    expect(readHost(`${'a.'.repeat(125)}com`)).toMatchObject({ ok: true });
    expect(readHost(`${'a.'.repeat(126)}com`)).toMatchObject({ ok: false });
    expect(readHost('a'.repeat(100_000))).toEqual({ ok: false, why: 'it is too long' });
  });

  it('names the reason', () => {
    expect(readHost('a..test')).toEqual({ ok: false, why: 'it has an empty label' });
    expect(readHost('*.google.com')).toEqual({ ok: false, why: 'wildcards are not supported' });
  });

  const label = fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,20}[a-z0-9])?$/);
  const name = fc.array(label, { minLength: 1, maxLength: 5 }).map((labels) => [...labels, 'test'].join('.'));

  it('reads its own result as itself, whatever it was given', () => {
    const anything = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.ipV4(),
      fc.ipV6(),
      fc.ipV4Extended(),
      fc.domain(),
    );
    fc.assert(
      fc.property(anything, (text) => {
        const first = readHost(text);
        const again = first.ok ? readHost(first.host) : first;
        expect(again).toEqual(first);
      }),
    );
  });

  it('does not depend on case or on a trailing dot', () => {
    fc.assert(
      fc.property(name, fc.infiniteStream(fc.boolean()), fc.boolean(), (host, upper, dot) => {
        const expected = readHost(host);
        const cased = host.replaceAll(/./g, (c) => (upper.next().value ? c.toUpperCase() : c));
        expect(readHost(dot ? `${cased}.` : cased)).toEqual(expected);
      }),
    );
  });

  it('gives the host that the URL parser reaches', () => {
    fc.assert(
      fc.property(fc.oneof(name, fc.ipV4(), fc.ipV6(), fc.ipV4Extended()), (text) => {
        const reading = readHost(text);
        if (!reading.ok) return;
        expect(new URL(`http://${hostInUrl(reading.host)}/`).hostname).toBe(hostInUrl(reading.host));
      }),
    );
  });
});
