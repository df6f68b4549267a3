import { MalformedHello } from '../../../packages/proxy/dist/judge/client-hello.js';
import { HeadReader, MalformedHead } from '../../../packages/proxy/dist/client/head-reader.js';
import { parseRequestHead } from '../../../packages/proxy/dist/client/request-head.js';
import { TlsGate } from '../../../packages/proxy/dist/judge/tls-gate.js';
import { ECH, GREASE, helloFor, helloMessage, record, records } from '../../proxy/hello.js';
import type { Random } from '../engine/random.js';
import { chunks, promise, type Target } from '../engine/target.js';

const NAME = 'a.example';

/** What passes a gate that knows one name, and why it closed. */
function through(pieces: readonly Buffer[]): { readonly passed: Buffer; readonly end: string } {
  const passed: Buffer[] = [];
  let judged = 0;
  const gate = new TlsGate(({ serverName }) => {
    if (serverName !== NAME) throw new MalformedHello('another name');
    judged += 1;
  });
  try {
    for (const piece of pieces) {
      const more = gate.push(piece);
      promise(more === undefined || judged > 0, 'nothing passes before a name was judged');
      if (more !== undefined) passed.push(more);
    }
  } catch (error) {
    promise(error instanceof MalformedHello, 'what is no TLS is said to be none');
    return { passed: Buffer.concat(passed), end: error.message };
  }
  return { passed: Buffer.concat(passed), end: gate.isOpen ? 'open' : `judged ${judged}` };
}

/** The gate before a TLS client: the same answer however the bytes come, and none of them changed. */
export const tlsGate: Target = {
  name: 'tls-gate',
  seeds: [
    helloFor(NAME),
    helloFor('evil.example'),
    records(helloMessage({ names: [NAME], extensions: [...GREASE, [ECH, Buffer.alloc(8)]] }), 7),
    Buffer.concat([
      helloFor(NAME, { extensions: [[42, Buffer.alloc(0)]] }),
      record(20, Buffer.from([1])),
      record(23, Buffer.from('early')),
      helloFor('evil.example'),
    ]),
  ],
  words: [NAME, 'evil.example', '\x16\x03\x01', '\x14\x03\x03\x00\x01\x01', '\x17\x03\x03', '\x00\x00'],
  maxBytes: 512,
  run(input, random) {
    const whole = through([input]);
    const cut = through(chunks(input, random));
    promise(whole.end === cut.end, 'what becomes of it does not depend on the chunks');
    const passed = cut.passed.toString('latin1');
    promise(input.toString('latin1').startsWith(passed), 'what passes is what came');
    if (whole.end === 'open') promise(cut.passed.equals(input), 'an open gate holds nothing back');
    return cut.passed.length > 0;
  },
};

function readHead(pieces: readonly Buffer[]): string {
  const reader = new HeadReader(512);
  try {
    for (const piece of pieces) {
      const head = reader.push(piece);
      if (head !== undefined) return JSON.stringify(parseRequestHead(head.lines));
    }
  } catch (error) {
    promise(error instanceof MalformedHead, 'what is no head is said to be none');
    return `malformed: ${error.message}`;
  }
  return 'waits';
}

/** Heads of requests to the proxy: one reading, whatever the chunks. */
export const proxyHeads: Target = {
  name: 'proxy-heads',
  seeds: [
    'CONNECT a.example:443 HTTP/1.1\r\nHost: a.example:443\r\n\r\n',
    'GET http://a.example/x?y HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n\r\n',
    'POST http://[::1]:8080/ HTTP/1.1\r\nHost: [::1]:8080\r\nTransfer-Encoding: chunked\r\n\r\n',
  ].map((text) => Buffer.from(text)),
  words: [
    '\r\n',
    '\n',
    '\r\n\r\n',
    'Host: ',
    'Content-Length: 1',
    'Transfer-Encoding: chunked',
    '@',
    ' ',
    'http://',
  ],
  maxBytes: 768,
  run(input: Buffer, random: Random) {
    const whole = readHead([input]);
    promise(whole === readHead(chunks(input, random)), 'the reading does not depend on the chunks');
    if (!whole.startsWith('{')) return false;
    const { host, port } = JSON.parse(whole) as { host: string; port: number };
    promise(port > 0 && port < 65_536 && !/[@/?#\\\s]/.test(host), 'a host is one host');
    return true;
  },
};
