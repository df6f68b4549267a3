import { describe, expect, it } from 'vitest';
import { requestHeaders } from './request-headers.js';

describe('requestHeaders', () => {
  it('asks for no content coding and names the product, unless the caller does', () => {
    expect(requestHeaders(undefined, {})).toEqual({
      'accept-encoding': 'identity',
      'user-agent': 'subluminal',
    });
    expect(
      requestHeaders({ 'User-Agent': 'mine', 'X-One': 'a\tb' }, { 'content-type': 'application/json' }),
    ).toEqual({
      'accept-encoding': 'identity',
      'user-agent': 'mine',
      'content-type': 'application/json',
      'x-one': 'a\tb',
    });
    expect(
      requestHeaders({ 'Content-Type': 'text/csv' }, { 'content-type': 'application/json' }),
    ).toMatchObject({
      'content-type': 'text/csv',
    });
  });

  it.each([
    ['Host'],
    ['HOST'],
    ['Content-Length'],
    ['Transfer-Encoding'],
    ['Connection'],
    ['Upgrade'],
    ['Proxy-Authorization'],
    ['proxy-connection'],
    ['Proxy-Anything'],
    ['TE'],
    ['Trailer'],
    ['Keep-Alive'],
    ['Expect'],
    ['HTTP2-Settings'],
  ])('lets no caller set %s', (name) => {
    expect(() => requestHeaders({ [name]: 'evil.test' }, {})).toThrowError(
      expect.objectContaining({
        code: 'invalid_request',
        message: `the header \`${name}\` is set by the gateway alone`,
      }),
    );
  });

  it.each([
    [''],
    ['a b'],
    ['a:'],
    [' host'],
    ['host '],
    ['host\t'],
    ['a\r\nb'],
    ['a\0'],
    ['ä'],
    [':authority'],
    ['a(b)'],
  ])('refuses the name %j', (name) => {
    expect(() => requestHeaders({ [name]: 'x' }, {})).toThrowError(
      expect.objectContaining({ code: 'invalid_request' }),
    );
  });

  it.each([
    ['a\r\nHost: evil.test'],
    ['a\nb'],
    ['a\rb'],
    ['a\0b'],
    ['a\u007fb'],
    ['ä'],
    ['\u{1f600}'],
    ['\u0100'],
    ['a\u010ab'],
  ])('refuses the value %j, and does not repeat it', (value) => {
    expect(() => requestHeaders({ authorization: value }, {})).toThrowError(
      expect.objectContaining({
        code: 'invalid_request',
        message: 'the header `authorization` has a value with a character that a header cannot have',
      }),
    );
  });

  it('refuses a name that is given twice in different case', () => {
    expect(() => requestHeaders({ 'X-One': '1', 'x-one': '2' }, {})).toThrowError(
      expect.objectContaining({ message: 'the header `x-one` is given twice' }),
    );
  });

  it('bounds the number and the size of headers', () => {
    const many = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, i) => [`x-${i}`, '1']));
    expect(Object.keys(requestHeaders(many(64), {}))).toHaveLength(66);
    expect(() => requestHeaders(many(65), {})).toThrowError(
      expect.objectContaining({ code: 'invalid_request' }),
    );
    expect(() => requestHeaders({ 'x-big': 'x'.repeat(16_384) }, {})).toThrowError(
      expect.objectContaining({ code: 'invalid_request' }),
    );
  });
});
