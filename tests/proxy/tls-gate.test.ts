import { connect as connectTls } from 'node:tls';
import { Duplex } from 'node:stream';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ClientHello } from '../../packages/proxy/dist/judge/client-hello.js';
import { TlsGate } from '../../packages/proxy/dist/judge/tls-gate.js';
import { ECH, GREASE, helloFor, helloMessage, type HelloParts, record, records } from './hello.js';

/** What became of bytes: what passed, which names were asked for, and why they were refused. */
interface Passage {
  readonly passed: string;
  readonly names: (string | undefined)[];
  readonly isOpen: boolean;
  readonly refused?: string;
}

function through(chunks: readonly Buffer[], judge: (hello: ClientHello) => void = () => undefined): Passage {
  const passed: Buffer[] = [];
  const names: (string | undefined)[] = [];
  const gate = new TlsGate((hello) => {
    judge(hello);
    names.push(hello.serverName);
  });
  try {
    for (const chunk of chunks) passed.push(gate.push(Buffer.from(chunk)) ?? Buffer.alloc(0));
    return { passed: Buffer.concat(passed).toString('hex'), names, isOpen: gate.isOpen };
  } catch (error) {
    return {
      passed: Buffer.concat(passed).toString('hex'),
      names,
      isOpen: gate.isOpen,
      refused: (error as Error).message,
    };
  }
}

function cut(bytes: Buffer, sizes: readonly number[]): Buffer[] {
  const parts: Buffer[] = [];
  let at = 0;
  for (const size of sizes) {
    parts.push(bytes.subarray(at, at + size));
    at += size;
  }
  return [...parts, bytes.subarray(at)];
}

/** The first flight of the TLS client of Node (OpenSSL). */
function realHello(servername: string, maxVersion: 'TLSv1.2' | 'TLSv1.3'): Promise<Buffer> {
  return new Promise((resolve) => {
    const wire = new Duplex({
      read: () => undefined,
      write: (chunk: Buffer, _encoding, done) => {
        resolve(Buffer.from(chunk));
        done();
      },
    });
    connectTls({ socket: wire, servername, maxVersion, ALPNProtocols: ['h2'] }).on('error', () => undefined);
  });
}

const APP = record(23, Buffer.from('secret'), 0x0303);

describe('the gate before a TLS client', () => {
  it('lets the very bytes of a real ClientHello pass once the name in it is known', async () => {
    for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
      const bytes = await realHello('allowed.example', version);
      expect(through([bytes])).toMatchObject({ passed: bytes.toString('hex'), names: ['allowed.example'] });
    }
  });

  it('passes nothing of a ClientHello before all of it is there', () => {
    const bytes = helloFor('allowed.example');
    expect(through([bytes.subarray(0, -1)])).toEqual({ passed: '', names: [], isOpen: false });
  });

  it('gives the same answer however the bytes are cut, over records and fragments', () => {
    const flow = fc.record({
      size: fc.integer({ min: 1, max: 200 }),
      early: fc.boolean(),
      again: fc.boolean(),
      sizes: fc.array(fc.integer({ min: 0, max: 60 }), { maxLength: 30 }),
    });
    fc.assert(
      fc.property(flow, ({ size, early, again, sizes }) => {
        const extensions = [...GREASE, ...(early ? [[42, Buffer.alloc(0)] as const] : [])];
        const bytes = Buffer.concat([
          records(helloMessage({ names: ['allowed.example'], extensions }), size),
          ...(early ? [APP] : []),
          record(20, Buffer.from([1])),
          ...(again ? [records(helloMessage({ names: ['other.example'] }), size)] : []),
          APP,
        ]);
        const whole = through([bytes]);
        expect(through(cut(bytes, sizes))).toEqual(whole);
        expect(whole).toEqual({
          passed: bytes.toString('hex'),
          names: again ? ['allowed.example', 'other.example'] : ['allowed.example'],
          isOpen: !early || again,
        });
      }),
    );
  });

  it('judges a second ClientHello too, and passes not a byte of it where it is refused', () => {
    const judge = ({ serverName }: ClientHello): void => {
      if (serverName !== 'allowed.example') throw new Error('another name');
    };
    const first = helloFor('allowed.example');
    const second = helloFor('evil.example');
    const spread = [first, record(20, Buffer.from([1])), ...cut(second, [3, 40])];
    expect(through(spread, judge)).toEqual({
      passed: Buffer.concat([first, record(20, Buffer.from([1]))]).toString('hex'),
      names: ['allowed.example'],
      isOpen: false,
      refused: 'another name',
    });
  });

  it('opens with the second flight of TLS 1.2', () => {
    const flight = record(22, Buffer.from([16, 0, 0, 2, 1, 2]), 0x0303);
    const after = Buffer.from('whatever');
    expect(through([helloFor('allowed.example'), flight, after])).toMatchObject({ isOpen: true });
  });

  it('says whether a part is encrypted, and takes GREASE for nothing', () => {
    const seen: ClientHello[] = [];
    const push = (parts: HelloParts): void => {
      through([helloFor('allowed.example', parts)], (hello) => seen.push(hello));
    };
    push({ extensions: GREASE });
    push({ extensions: [...GREASE, [ECH, Buffer.alloc(40)]] });
    push({ extensions: [[42, Buffer.alloc(0)]] });
    expect(seen).toEqual([
      { serverName: 'allowed.example', isEncrypted: false, hasEarlyData: false },
      { serverName: 'allowed.example', isEncrypted: true, hasEarlyData: false },
      { serverName: 'allowed.example', isEncrypted: false, hasEarlyData: true },
    ]);
  });

  const name = (bytes: string | Buffer): Buffer => records(helloMessage({ names: [bytes] }));
  const plain = helloMessage({ names: ['a.example'] });
  it.each<readonly [string, Buffer, string]>([
    [
      'two names in one list',
      helloFor('a.example', { names: ['a.example', 'b.example'] }),
      'more than one server name',
    ],
    [
      'two lists of names',
      helloFor('a.example', { extensions: [[0, Buffer.from('000e00000b622e6578616d706c65', 'hex')]] }),
      'an extension stands twice',
    ],
    ['an empty name', name(''), 'a length that there may not be'],
    [
      'a name with a NUL',
      name('evil.example\0.a.example'),
      'the server name has a character that no name has',
    ],
    ['a name with a line end', name('a\r\nb'), 'the server name has a character that no name has'],
    ['a name that is not ASCII', name('bücher.example'), 'the server name has a character that no name has'],
    ['a name that is too long', name('a'.repeat(256)), 'a length that there may not be'],
    ['another version', helloFor('a.example', { version: 0x0404 }), 'it is of a version that there is not'],
    [
      'bytes behind the extensions',
      helloFor('a.example', { tail: Buffer.from([0]) }),
      'bytes stand behind its end',
    ],
    [
      'another message first',
      record(22, Buffer.from([2, 0, 0, 1, 0])),
      'it does not begin with a ClientHello',
    ],
    ['data first', APP, 'something else stands where the ClientHello should'],
    [
      'data between two parts of it',
      Buffer.concat([record(22, plain.subarray(0, 50)), APP, record(22, plain.subarray(50))]),
      'something else stands where the ClientHello should',
    ],
    [
      'something behind it in its record',
      record(22, Buffer.concat([plain, Buffer.from([0])])),
      'something stands behind it in its record',
    ],
    ['an empty record', record(22, Buffer.alloc(0)), 'a record has a length that there may not be'],
    [
      'a record that is too long',
      record(22, Buffer.alloc(16_385)),
      'a record has a length that there may not be',
    ],
    ['no TLS', Buffer.from('\x16\x01\x01\x00\x05hello'), 'it is no record of TLS'],
    ['a length of 16 MiB', record(22, Buffer.from([1, 255, 255, 255, 3])), 'it is longer than 65536 bytes'],
    [
      'more than 64 KiB of records with one byte each',
      records(Buffer.concat([Buffer.from([1, 0, 0xf0, 0]), Buffer.alloc(0xf000)]), 1),
      'it is longer than 65536 bytes',
    ],
    [
      'a length that leads beyond its end',
      records(Buffer.from('010000020303', 'hex')),
      'a length leads beyond its end',
    ],
  ])('refuses %s, and passes nothing of it', (_, bytes, why) => {
    const { passed, refused } = through(cut(bytes, [1, 2, 3, 50]));
    expect(passed).toBe('');
    expect(refused).toContain(why);
  });

  it('passes nothing of whatever bytes before a ClientHello was judged', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), fc.nat(400), (noise, at) => {
        const bytes = Buffer.concat([helloFor('a.example')]);
        Buffer.from(noise).copy(bytes, Math.min(at, bytes.length - 1));
        const { passed, names, refused } = through([bytes, Buffer.from(noise)]);
        if (names.length === 0) expect(passed).toBe('');
        if (refused !== undefined && names.length < 2)
          expect(bytes.toString('hex').startsWith(passed)).toBe(true);
      }),
    );
  });
});
