import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SocksReader, type SocksStep } from '../../packages/proxy/dist/client/socks5.js';
import { chunks } from '../fuzz/engine/target.js';
import { Random } from '../fuzz/engine/random.js';

const GREETING = Buffer.from([5, 2, 0, 2]);
const LOGIN = Buffer.concat([Buffer.from([1, 3]), Buffer.from('run'), Buffer.from([2]), Buffer.from('pw')]);

function request(type: number, address: Buffer, port = 443, head = [5, 1, 0]): Buffer {
  return Buffer.concat([Buffer.from([...head, type]), address, Buffer.from([port >> 8, port & 255])]);
}

function named(name: string): Buffer {
  const bytes = Buffer.from(name, 'latin1');
  return request(3, Buffer.concat([Buffer.from([bytes.length]), bytes]));
}

/** All that is said to these pieces, with bytes as hex. */
function steps(pieces: readonly Buffer[]): unknown[] {
  const reader = new SocksReader();
  const taken: unknown[] = [];
  let rest = '';
  let isOver = false;
  for (const piece of pieces) {
    if (isOver) {
      rest += piece.toString('hex');
      continue;
    }
    reader.push(piece);
    for (let step: SocksStep | undefined = reader.next(); step !== undefined; step = reader.next()) {
      if (step.type === 'reply') taken.push(`reply ${step.bytes.toString('hex')}`);
      if (step.type === 'login') taken.push(`login ${step.user} ${step.password}`);
      if (step.type === 'refused') taken.push(`refused ${step.bytes.toString('hex')} ${step.why}`);
      if (step.type === 'connect') {
        taken.push(`connect ${step.to.host} ${step.to.port}`);
        rest = step.rest.toString('hex');
      }
      isOver = step.type === 'connect' || step.type === 'refused';
    }
  }
  return isOver ? [...taken, `rest ${rest}`] : taken;
}

const after = (bytes: Buffer): unknown => steps([GREETING, LOGIN, bytes])[2];

describe('what a SOCKS5 client says', () => {
  it('is a user, a password and where it wants to go', () => {
    expect(steps([GREETING, LOGIN, named('a.example'), Buffer.from('hi')])).toEqual([
      'reply 0502',
      'login run pw',
      'connect a.example 443',
      'rest 6869',
    ]);
    expect(after(request(1, Buffer.from([127, 0, 0, 1]), 80))).toBe('connect 127.0.0.1 80');
    const mapped = Buffer.from('00000000000000000000ffffa9fea9fe', 'hex');
    expect(after(request(4, mapped))).toBe('connect 0:0:0:0:0:ffff:a9fe:a9fe 443');
  });

  it('is the same however its bytes are cut', () => {
    const bytes = Buffer.concat([GREETING, LOGIN, named('a.example'), Buffer.from('hello')]);
    const whole = steps([bytes]);
    fc.assert(
      fc.property(fc.nat(), (seed) => {
        expect(steps(chunks(bytes, new Random(seed)))).toEqual(whole);
      }),
    );
  });

  it('names what it names, NUL and all, so that it is judged and recorded as it came', () => {
    expect(after(named('evil.example\0.a.example'))).toBe('connect evil.example\0.a.example 443');
  });

  it.each<readonly [string, Buffer, string]>([
    [
      'BIND',
      request(1, Buffer.from([1, 1, 1, 1]), 80, [5, 2, 0]),
      'refused 05070001000000000000 nothing but CONNECT',
    ],
    [
      'UDP',
      request(1, Buffer.from([1, 1, 1, 1]), 80, [5, 3, 0]),
      'refused 05070001000000000000 nothing but CONNECT',
    ],
    [
      'another kind of address',
      request(2, Buffer.from([1])),
      'refused 05080001000000000000 an address of a kind',
    ],
    ['an empty name', named(''), 'refused 05010001000000000000 the name is empty'],
    ['port 0', request(1, Buffer.from([1, 1, 1, 1]), 0), 'refused 05010001000000000000 port 0'],
    [
      'a reserved byte',
      request(1, Buffer.from([1, 1, 1, 1]), 80, [5, 1, 1]),
      'refused 05010001000000000000 the reserved',
    ],
    ['SOCKS4', Buffer.from([4, 1, 0, 80, 1, 1, 1, 1, 0]), 'refused 05010001000000000000 it is not SOCKS5'],
  ])('is refused where it asks for %s', (_, bytes, expected) => {
    expect(after(bytes)).toContain(expected);
  });

  it('is refused without a user and password', () => {
    expect(steps([Buffer.from([5, 1, 0])])).toEqual([
      'refused 05ff no user name and password was offered',
      'rest ',
    ]);
    expect(steps([GREETING, Buffer.from([2, 0])])[1]).toContain('refused 0101');
  });
});
