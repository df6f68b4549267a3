import type { ServiceApiCallPayload } from '@subluminal/core-types';
import { describe, expect, it } from 'vitest';
import { parseDestination } from '@subluminal/egress';
import { nextRequest } from './redirect.js';

const POST: ServiceApiCallPayload = {
  service: 'example',
  endpoint: 'https://api.example.com/v1/items?x=1',
  method: 'POST',
  headers: {
    Authorization: 'Bearer s',
    Cookie: 'a=b',
    'X-Api-Key': 'k',
    Accept: '*/*',
    'Content-Type': 'text/plain',
  },
  body: 'text',
};

function follow(status: number, location: string | readonly string[], payload = POST) {
  const headers = new Map([['location', typeof location === 'string' ? [location] : location]]);
  return nextRequest(payload, parseDestination(payload.endpoint), {
    status,
    headers,
    body: new Uint8Array(),
  });
}

describe('nextRequest', () => {
  it.each([[200], [201], [204], [300], [304], [305], [306], [400], [500]])(
    'takes %i for an answer',
    (status) => {
      expect(follow(status, '/elsewhere')).toBeUndefined();
    },
  );

  it('takes a redirect without a location for an answer', () => {
    const answer = { status: 302, headers: new Map(), body: new Uint8Array() };
    expect(nextRequest(POST, parseDestination(POST.endpoint), answer)).toBeUndefined();
  });

  it.each([[307], [308]])('keeps the method, the body and the headers on %i', (status) => {
    expect(follow(status, '/v2')).toEqual({ ...POST, endpoint: 'https://api.example.com/v2' });
  });

  it.each([[301], [302], [303]])('makes a POST a GET without body on %i', (status) => {
    expect(follow(status, '/v2')).toEqual({
      service: 'example',
      endpoint: 'https://api.example.com/v2',
      method: 'GET',
      headers: { Authorization: 'Bearer s', Cookie: 'a=b', 'X-Api-Key': 'k', Accept: '*/*' },
    });
  });

  it('keeps other methods on 301 and 302, and none on 303', () => {
    const put = { ...POST, method: 'PUT' as const };
    expect(follow(301, '/v2', put)).toMatchObject({ method: 'PUT', body: 'text' });
    expect(follow(302, '/v2', put)).toMatchObject({ method: 'PUT', body: 'text' });
    expect(follow(303, '/v2', put)).toMatchObject({ method: 'GET' });
    expect(follow(303, '/v2', put)).not.toHaveProperty('body');
  });

  it.each([
    ['another host', 'https://evil.test/v2'],
    ['a subdomain', 'https://x.api.example.com/v2'],
    ['another port', 'https://api.example.com:8443/v2'],
    ['plain http', 'http://api.example.com/v2'],
    ['a host without a scheme', '//evil.test/v2'],
  ])('takes only harmless headers along to %s', (_what, location) => {
    expect(follow(307, location)?.headers).toEqual({ Accept: '*/*', 'Content-Type': 'text/plain' });
  });

  it('resolves the location against the endpoint and drops its fragment', () => {
    expect(follow(307, '../v2/items#top')?.endpoint).toBe('https://api.example.com/v2/items');
    expect(follow(307, '?x=2')?.endpoint).toBe('https://api.example.com/v1/items?x=2');
    expect(follow(307, 'HTTPS://API.EXAMPLE.COM:443/v2')).toMatchObject({
      headers: { Authorization: 'Bearer s' },
    });
  });

  it.each([
    ['file:///etc/passwd'],
    ['javascript:alert(1)'],
    ['ftp://evil.test/'],
    ['https://user:secret@evil.test/'],
    ['https://'],
    ['https://*.example.com/'],
    [`/${'a'.repeat(8192)}`],
  ])('refuses %j with adapter_failed', (location) => {
    expect(() => follow(302, location)).toThrowError(
      expect.objectContaining({
        code: 'adapter_failed',
        message: '`https://api.example.com` redirects to something that is not an http or https URL',
      }),
    );
  });

  it('refuses two locations', () => {
    expect(() => follow(302, ['/a', '/b'])).toThrowError(expect.objectContaining({ code: 'adapter_failed' }));
  });
});
