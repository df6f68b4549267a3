import { describe, expect, it } from 'vitest';
import { responseData } from './response-data.js';

function dataOf(
  body: string | Uint8Array,
  headers: Record<string, readonly string[]> = {},
  maxBytes = 1_000,
) {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  return responseData({ status: 200, headers: new Map(Object.entries(headers)), body: bytes }, maxBytes);
}

const type = (text: string) => ({ 'content-type': [text] });

describe('responseData', () => {
  it('gives status, headers, bytes and text', () => {
    expect(dataOf('{"a":"ü"}', type('application/json; charset=UTF-8'))).toEqual({
      status: 200,
      headers: { 'content-type': 'application/json; charset=UTF-8' },
      bytes: 10,
      body: '{"a":"ü"}',
      body_encoding: 'utf8',
    });
  });

  it('keeps set-cookie as a list and joins other repeated headers', () => {
    const { headers } = dataOf('', { 'set-cookie': ['a=1, x', 'b=2'], vary: ['a', 'b'], link: ['c'] });
    expect(headers).toEqual({ 'set-cookie': ['a=1, x', 'b=2'], vary: 'a, b', link: 'c' });
  });

  it.each([
    ['no type', {}],
    ['text', type('text/html')],
    ['JSON', type('application/problem+json')],
    ['XML', type('application/atom+xml;charset="utf-8"')],
    ['a form', type('application/x-www-form-urlencoded')],
    ['ASCII', type('text/plain; charset=us-ascii')],
  ])('gives %s as text', (_what, headers) => {
    expect(dataOf('abc', headers)).toMatchObject({ body: 'abc', body_encoding: 'utf8' });
  });

  it.each([
    ['an image', type('image/png')],
    ['another charset', type('text/plain; charset=iso-8859-1')],
    ['a content coding', { 'content-type': ['text/plain'], 'content-encoding': ['gzip'] }],
    ['an unknown application type', type('application/octet-stream')],
  ])('gives %s as base64', (_what, headers) => {
    expect(dataOf('abc', headers)).toMatchObject({ body: 'YWJj', body_encoding: 'base64', bytes: 3 });
  });

  it('gives text that is not UTF-8 as base64', () => {
    expect(dataOf(Buffer.from([0x61, 0xff]), type('text/plain'))).toMatchObject({
      body: 'Yf8=',
      body_encoding: 'base64',
    });
  });

  it('keeps a byte order mark', () => {
    expect(dataOf('\ufeffabc', type('text/plain'))).toMatchObject({ body: '\ufeffabc', bytes: 6 });
  });

  it('gives text that would swell in JSON as base64', () => {
    const data = dataOf('\u0001'.repeat(1_000), type('text/plain'));
    expect(data).toMatchObject({ body_encoding: 'base64', bytes: 1_000 });
    expect(JSON.stringify(data['body']).length).toBeLessThanOrEqual(1_340);
    expect(dataOf('"'.repeat(600), type('text/plain'))).toMatchObject({ body_encoding: 'utf8' });
  });

  it('keeps a header named __proto__ as a header', () => {
    const data = responseData(
      { status: 200, headers: new Map([['__proto__', ['x']]]), body: Buffer.from('') },
      10,
    );
    expect(Object.entries(data['headers'] ?? {})).toEqual([['__proto__', 'x']]);
  });
});
