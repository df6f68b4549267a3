import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseAnswerHead } from '../../packages/proxy/dist/client/answer-head.js';
import { HeadReader } from '../../packages/proxy/dist/client/head-reader.js';
import { endToEnd } from '../../packages/proxy/dist/client/hop-by-hop.js';
import { RequestBody } from '../../packages/proxy/dist/client/request-body.js';
import { parseRequestHead } from '../../packages/proxy/dist/client/request-head.js';
import { chunks } from '../fuzz/engine/target.js';
import { Random } from '../fuzz/engine/random.js';

function read(text: string, cut: readonly Buffer[] = [Buffer.from(text, 'latin1')]) {
  const reader = new HeadReader(1024);
  for (const [index, chunk] of cut.entries()) {
    const head = reader.push(chunk);
    if (head === undefined) continue;
    const rest = Buffer.concat([head.rest, ...cut.slice(index + 1)]).toString('latin1');
    return { request: parseRequestHead(head.lines), rest };
  }
  return undefined;
}

const refusal = (text: string): string => {
  try {
    return read(text) === undefined ? 'waits' : 'taken';
  } catch (error) {
    return (error as Error).message;
  }
};

const HOST = 'Host: a.example\r\n';
const get = (target: string, fields = HOST): string => `GET ${target} HTTP/1.1\r\n${fields}\r\n`;
const connect = (target: string, fields = ''): string => `CONNECT ${target} HTTP/1.1\r\n${fields}\r\n`;
const post = (fields: string): string => `POST http://a.example/ HTTP/1.1\r\n${HOST}${fields}\r\n`;

describe('the head of a request to the proxy', () => {
  it('is a CONNECT, as curl, Python, Node and git write it', () => {
    expect(read(connect('a.example:443', 'Host: a.example:443\r\nUser-Agent: curl/8\r\n'))).toMatchObject({
      request: { kind: 'connect', host: 'a.example', port: 443, version: '1.1' },
      rest: '',
    });
    expect(read('CONNECT a.example:443 HTTP/1.0\r\n\r\n\x16\x03')).toMatchObject({
      request: { kind: 'connect', host: 'a.example', port: 443, version: '1.0' },
      rest: '\x16\x03',
    });
    expect(read(connect('a.example:8443', 'Host: a.example\r\nContent-Length: 0\r\n'))).toMatchObject({
      request: { kind: 'connect', port: 8443 },
    });
    expect(read(connect('[::1]:22'))).toMatchObject({ request: { host: '[::1]', port: 22 } });
  });

  it('is a request in absolute form', () => {
    expect(read(get('http://A.example/x?q#'.slice(0, -1)))).toMatchObject({
      request: { kind: 'absolute', method: 'GET', host: 'A.example', port: 80, target: '/x?q', body: 'none' },
    });
    expect(read(get('http://a.example:8080?q', 'Host: a.example:8080\r\n'))).toMatchObject({
      request: { port: 8080, target: '/?q', upgrades: false },
    });
    expect(read(post('Content-Length: 12\r\n'))).toMatchObject({ request: { body: 12 } });
    expect(read(post('Transfer-Encoding: Chunked\r\n'))).toMatchObject({ request: { body: 'chunked' } });
    const socket = 'Connection: keep-alive, Upgrade\r\nUpgrade: WebSocket\r\n';
    expect(read(get('http://a.example/', HOST + socket))).toMatchObject({ request: { upgrades: true } });
    const h2c = 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: x\r\n';
    expect(read(get('http://a.example/', HOST + h2c))).toMatchObject({ request: { upgrades: false } });
  });

  it.each<readonly [string, string, string]>([
    [
      'a length and chunks',
      post('Content-Length: 4\r\nTransfer-Encoding: chunked\r\n'),
      'contradict each other',
    ],
    ['two lengths', post('Content-Length: 4\r\nContent-Length: 4\r\n'), '`Content-Length` stands twice'],
    ['a list of lengths', post('Content-Length: 4, 4\r\n'), '`Content-Length` is no number'],
    ['a signed length', post('Content-Length: +4\r\n'), '`Content-Length` is no number'],
    ['a length in hex', post('Content-Length: 0x4\r\n'), '`Content-Length` is no number'],
    ['two codings', post('Transfer-Encoding: chunked\r\nTransfer-Encoding: x\r\n'), 'stands twice'],
    ['a list of codings', post('Transfer-Encoding: gzip, chunked\r\n'), 'something else than `chunked`'],
    [
      'a coding with a tab in it',
      post('Transfer-Encoding: \x0bchunked\r\n'),
      'a character that no field has',
    ],
    ['a folded coding', post('Transfer-Encoding:\r\n chunked\r\n'), 'no name of a field'],
    ['a space before the colon', post('Transfer-Encoding : chunked\r\n'), 'no name of a field'],
    ['a line without a colon', post('Transfer-Encoding\r\n'), 'no name of a field'],
    ['a LF alone', 'GET http://a.example/ HTTP/1.1\nHost: a.example\n\n', 'CR or LF alone'],
    ['a LF alone at the end', `GET http://a.example/ HTTP/1.1\r\n${HOST}\n`, 'CR or LF alone'],
    ['a CR in a value', get('http://a.example/', `${HOST}X: a\rb\r\n`), 'CR or LF alone'],
    ['a NUL in a value', get('http://a.example/', `${HOST}X: a\0b\r\n`), 'a character that no field has'],
    ['an empty line before it', `\r\n${get('http://a.example/')}`, 'begins with an empty line'],
    ['a GET with a body', get('http://a.example/', `${HOST}Content-Length: 3\r\n`), 'a `GET` has no body'],
    ['a CONNECT with a body', connect('a.example:443', 'Content-Length: 3\r\n'), 'a `CONNECT` has no body'],
    [
      'chunks in HTTP/1.0',
      'POST http://a.example/ HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n',
      'HTTP/1.0',
    ],
    ['another Host', get('http://a.example/', 'Host: evil.example\r\n'), 'name different servers'],
    [
      'a Host with another port',
      get('http://a.example/', 'Host: a.example:81\r\n'),
      'name different servers',
    ],
    ['two Hosts', get('http://a.example/', `${HOST}Host: evil.example\r\n`), '`Host` stands twice'],
    ['no Host', get('http://a.example/', ''), 'there is no `Host`'],
    ['a CONNECT with another Host', connect('a.example:443', 'Host: evil.example\r\n'), 'different servers'],
    ['a user in the target', get('http://a.example@evil.example/'), 'does not name one host'],
    ['a user in a CONNECT', connect('a.example:443@evil.example:443'), 'does not name one host'],
    ['a port that is empty', get('http://a.example:/'), 'does not name one host'],
    ['port 0', connect('a.example:0'), 'a port that there is not'],
    ['port 65536', connect('a.example:65536'), 'a port that there is not'],
    ['no port', connect('a.example'), 'does not name one host and port'],
    ['a path in a CONNECT', connect('a.example:443/x'), 'does not name one host and port'],
    ['a backslash', get('http://a.example\\@evil.example/'), 'does not name one host'],
    ['a backslash in the path', get('http://a.example/\\evil.example'), 'a backslash'],
    ['a fragment', get('http://a.example/#x'), 'a fragment'],
    ['https in absolute form', get('https://a.example/'), '`https` goes through `CONNECT`'],
    ['ftp', get('ftp://a.example/'), 'a scheme that is not carried'],
    ['a plain path', get('/'), 'this is a proxy'],
    ['an asterisk', 'OPTIONS * HTTP/1.1\r\n\r\n', 'this is a proxy'],
    ['HTTP/2 by prior knowledge', 'PRI * HTTP/2.0\r\n\r\n', 'no request of HTTP/1.1'],
    ['HTTP/0.9', 'GET http://a.example/\r\n\r\n', 'no request of HTTP/1.1'],
    ['two spaces', 'GET  http://a.example/ HTTP/1.1\r\n\r\n', 'no request of HTTP/1.1'],
    ['a space in the target', get('http://a.example/ x'), 'no request of HTTP/1.1'],
    ['a target that is not ASCII', get('http://a.example/ü'), 'no request of HTTP/1.1'],
    ['a head that is too long', get(`http://a.example/${'x'.repeat(1100)}`), 'longer than 1024 bytes'],
  ])('is refused with %s', (_, text, why) => {
    expect(refusal(text)).toContain(why);
  });

  it('is the same however its bytes are cut', () => {
    const text = `${connect('a.example:443', 'Host: a.example\r\nX: y\r\n')}rest\n`;
    const whole = read(text);
    fc.assert(
      fc.property(fc.nat(), (seed) => {
        expect(read(text, chunks(Buffer.from(text), new Random(seed)))).toEqual(whole);
      }),
    );
  });

  it('gives on nothing that is between two neighbours, and nothing that `Connection` names', () => {
    const { request } = read(
      get(
        'http://a.example/',
        `${HOST}Connection: X-One, close\r\nX-One: 1\r\nX-Two: 2\r\nProxy-Authorization: Basic x\r\n` +
          'Proxy-Foo: y\r\nKeep-Alive: 5\r\nTE: trailers\r\n',
      ),
    ) ?? { request: { fields: [] } };
    expect(endToEnd(request.fields)).toEqual([
      ['Host', 'a.example'],
      ['X-Two', '2'],
    ]);
  });
});

describe('the body of a request', () => {
  const taken = (text: string, length: number | 'chunked' | 'none'): string => {
    const body = new RequestBody(length);
    const bytes = Buffer.from(text);
    return `${bytes.subarray(0, body.take(bytes)).toString()} ${body.isOver ? 'over' : 'goes on'}`;
  };

  it('ends where it says, and nothing behind it belongs to it', () => {
    expect(taken('GET / HTTP/1.1', 'none')).toBe(' over');
    expect(taken('abcGET', 3)).toBe('abc over');
    expect(taken('ab', 3)).toBe('ab goes on');
    expect(taken('3\r\nabc\r\n0\r\n\r\nGET /', 'chunked')).toBe('3\r\nabc\r\n0\r\n\r\n over');
    expect(taken('3\r\nabc\r\n0\r\n', 'chunked')).toBe('3\r\nabc\r\n0\r\n goes on');
  });

  it.each([
    '3;x=y\r\nabc\r\n0\r\n\r\n',
    '3 \r\nabc\r\n0\r\n\r\n',
    '+3\r\nabc\r\n0\r\n\r\n',
    '0x3\r\nabc\r\n0\r\n\r\n',
    '3\nabc\n0\n\n',
    '\r\nabc',
    '3\r\nabcd\r\n0\r\n\r\n',
    '0\r\nTrailer: x\r\n\r\n',
    '1000000000000\r\n',
  ])('is refused as %j', (text) => {
    expect(() => taken(text, 'chunked')).toThrow(/chunk/);
  });

  it('is the same however its bytes are cut', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ minLength: 1, maxLength: 20 })), fc.nat(), (parts, seed) => {
        const coded = parts.flatMap((part) => [
          Buffer.from(`${part.length.toString(16)}\r\n`),
          Buffer.from(part),
          Buffer.from('\r\n'),
        ]);
        const bytes = Buffer.concat([...coded, Buffer.from('0\r\n\r\n')]);
        const body = new RequestBody('chunked');
        for (const chunk of chunks(bytes, new Random(seed))) expect(body.take(chunk)).toBe(chunk.length);
        expect(body.isOver).toBe(true);
      }),
    );
  });
});

describe('the head of an answer', () => {
  const answer = (text: string, method = 'GET', upgrades = false) =>
    parseAnswerHead(text.split('\r\n'), method, upgrades);

  it('goes on without what leads around the proxy, and says that the connection ends', () => {
    const { bytes, bodyBytes } = answer(
      'HTTP/1.1 200 OK\r\nAlt-Svc: h3=":443"\r\nContent-Length: 5\r\nConnection: keep-alive\r\nX: 1',
    );
    expect([bytes.toString(), bodyBytes]).toEqual([
      'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX: 1\r\nConnection: close\r\n\r\n',
      5,
    ]);
  });

  it('has no body where there is none, whatever its length says', () => {
    expect(answer('HTTP/1.1 304 Not Modified\r\nContent-Length: 5').bodyBytes).toBe(0);
    expect(answer('HTTP/1.1 200 OK\r\nContent-Length: 5', 'HEAD').bodyBytes).toBe(0);
    expect(answer('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked').bodyBytes).toBe(undefined);
    expect(answer('HTTP/1.1 100 Continue')).toMatchObject({ isInterim: true, isUpgraded: false });
  });

  it('changes the protocol only where WebSocket was asked for', () => {
    const switching = 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade';
    expect(answer(switching, 'GET', true)).toMatchObject({ isUpgraded: true, isInterim: false });
    expect(() => answer(switching)).toThrow('not asked for');
    expect(() => answer('HTTP/1.1 101 X\r\nUpgrade: h2c', 'GET', true)).toThrow('not asked for');
  });

  it.each([
    ['HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6', 'stands twice'],
    ['HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked', 'contradict each other'],
    ['HTTP/2 200 OK', 'no answer of HTTP/1.1'],
    ['ICY 200 OK', 'no answer of HTTP/1.1'],
    ['HTTP/1.1 99 OK', 'no answer of HTTP/1.1'],
    ['HTTP/1.1 200 OK\r\n folded: x', 'no name of a field'],
  ])('is refused as %j', (text, why) => {
    expect(() => answer(text)).toThrow(why);
  });
});
