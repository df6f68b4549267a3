import { describe, expect, it } from 'vitest';
import { parseDestination, parseEndpoint } from './destination.js';

describe('parseDestination', () => {
  it.each([
    ['https://api.example.com/v1', 'https', 'api.example.com', 443, 'https://api.example.com'],
    ['http://api.example.com', 'http', 'api.example.com', 80, 'http://api.example.com'],
    ['HTTPS://API.EXAMPLE.COM.:443/', 'https', 'api.example.com', 443, 'https://api.example.com'],
    ['https://api.example.com:8443/', 'https', 'api.example.com', 8443, 'https://api.example.com:8443'],
    ['http://api.example.com:443/', 'http', 'api.example.com', 443, 'http://api.example.com:443'],
    ['https://bücher.example/', 'https', 'xn--bcher-kva.example', 443, 'https://xn--bcher-kva.example'],
    ['http://0x7f.1/', 'http', '127.0.0.1', 80, 'http://127.0.0.1'],
    ['http://2130706433/', 'http', '127.0.0.1', 80, 'http://127.0.0.1'],
    ['http://127.1/', 'http', '127.0.0.1', 80, 'http://127.0.0.1'],
    ['http://127%2e0%2e0%2e1/', 'http', '127.0.0.1', 80, 'http://127.0.0.1'],
    ['http://[::ffff:127.0.0.1]:8080/', 'http', '::ffff:7f00:1', 8080, 'http://[::ffff:7f00:1]:8080'],
    ['http://[::]/', 'http', '::', 80, 'http://[::]'],
    [
      'https://allowed.example.evil.test/',
      'https',
      'allowed.example.evil.test',
      443,
      'https://allowed.example.evil.test',
    ],
    ['https://evil-allowed.example/', 'https', 'evil-allowed.example', 443, 'https://evil-allowed.example'],
    ['https://evil.test/@allowed.example', 'https', 'evil.test', 443, 'https://evil.test'],
    ['https://evil.test?@allowed.example', 'https', 'evil.test', 443, 'https://evil.test'],
    ['https://evil.test#@allowed.example', 'https', 'evil.test', 443, 'https://evil.test'],
  ])('reads %s', (endpoint, protocol, host, port, origin) => {
    expect(parseDestination(endpoint)).toEqual({ protocol, host, port, origin });
  });

  it.each([
    [''],
    ['api.example.com'],
    ['//api.example.com/'],
    ['/path'],
    ['https:api.example.com'],
    ['https:/api.example.com'],
    ['https:///api.example.com'],
    ['https://'],
    ['https://?x'],
    ['https://:443/'],
    ['ftp://api.example.com/'],
    ['file:///etc/passwd'],
    ['ws://api.example.com/'],
    ['javascript:alert(1)'],
    ['https://user@api.example.com/'],
    ['https://user:secret@api.example.com/'],
    ['https://@api.example.com/'],
    ['https://allowed.example:443@evil.test/'],
    ['https://allowed.example\\@evil.test/'],
    ['https://allowed.example\\evil.test/'],
    ['https:\\\\allowed.example/'],
    [' https://api.example.com/'],
    ['https://api.example.com/ '],
    ['https://api.exam\nple.com/'],
    ['https://api.example.com/a\tb'],
    ['https://api.example.com/a\r\nHost: evil.test'],
    ['https://api.example.com/a b'],
    ['https://evil.test\u0000.allowed.example/'],
    ['https://api.example.com:0/'],
    ['https://api.example.com:65536/'],
    ['https://api.example.com:80:80/'],
    ['https://api..example.com/'],
    ['https://*.example.com/'],
    ['https://[::1/'],
    ['https://[[allowed.example]]/'],
    ['https://1.2.3.256/'],
  ])('refuses %j as invalid_request', (endpoint) => {
    expect(() => parseDestination(endpoint)).toThrowError(
      expect.objectContaining({ code: 'invalid_request' }),
    );
  });

  it('refuses an endpoint that is longer than 8192 characters', () => {
    const base = 'https://api.example.com/';
    expect(parseDestination(base.padEnd(8192, 'a')).host).toBe('api.example.com');
    expect(() => parseDestination(base.padEnd(8193, 'a'))).toThrowError(
      expect.objectContaining({ code: 'invalid_request' }),
    );
  });

  it('says how an endpoint is written', () => {
    expect(() => parseDestination('api.example.com')).toThrowError(
      expect.objectContaining({
        message: '`endpoint` is not an absolute http or https URL',
        help: 'write it as `https://HOST/PATH`',
      }),
    );
  });

  it('does not repeat a password in its error', () => {
    expect(() => parseDestination('https://user:hunter2@api.example.com/')).toThrowError(
      expect.objectContaining({ message: '`endpoint` carries a user name or a password' }),
    );
  });
});

describe('parseEndpoint', () => {
  it('sends the path and the query, and never the fragment', () => {
    expect(parseEndpoint('https://api.example.com/a/../b?x=1#secret').target).toBe('/b?x=1');
    expect(parseEndpoint('https://api.example.com').target).toBe('/');
    expect(parseEndpoint('https://api.example.com?x').target).toBe('/?x');
  });

  it('keeps everything in the target printable ASCII', () => {
    expect(parseEndpoint('https://api.example.com/ü?q=é"<>').target).toBe('/%C3%BC?q=%C3%A9%22%3C%3E');
  });
});
