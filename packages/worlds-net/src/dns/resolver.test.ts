import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FakeAddresses, isFake } from './names.js';
import { readQuestion } from './question.js';
import { WorldResolver } from './resolver.js';

const TYPE_A = 1;
const TYPE_AAAA = 28;

function question(name: string, type = TYPE_A): Buffer {
  const labels = name
    .split('.')
    .map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label)]));
  const head = Buffer.from([0xab, 0xcd, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0]);
  return Buffer.concat([head, ...labels, Buffer.from([0, 0, type, 0, 1])]);
}

interface Answer {
  readonly id: number;
  readonly code: number;
  readonly addresses: readonly string[];
}

function read(answer: Buffer | undefined): Answer | undefined {
  if (answer === undefined) return undefined;
  const count = answer.readUInt16BE(6);
  return {
    id: answer.readUInt16BE(0),
    code: answer.readUInt8(3) & 15,
    addresses: count === 0 ? [] : [[...answer.subarray(-4)].join('.')],
  };
}

function resolver(allowed: readonly string[]): {
  readonly ask: (datagram: Buffer) => Promise<Answer | undefined>;
  readonly asked: string[];
  readonly names: FakeAddresses;
  malformed: number;
  generation: number;
} {
  const names = new FakeAddresses(0);
  const asked: string[] = [];
  const state = {
    asked,
    names,
    malformed: 0,
    generation: 1,
    ask: async (datagram: Buffer) => read(await made.answer(datagram)),
  };
  const made = new WorldResolver({
    names,
    generation: () => state.generation,
    onMalformed: () => (state.malformed += 1),
    mayKnow: (name) => {
      asked.push(name);
      return name === 'broken.test'
        ? Promise.reject(new Error('the gateway stops'))
        : Promise.resolve(allowed.includes(name));
    },
  });
  return state;
}

describe('the names of a world', () => {
  it('lead to an address of nobody where they may be known, the same one each time', async () => {
    const world = resolver(['a.test', 'b.test']);
    expect(await world.ask(question('a.test'))).toEqual({ id: 0xabcd, code: 0, addresses: ['198.18.0.1'] });
    expect(await world.ask(question('B.Test'))).toMatchObject({ code: 0, addresses: ['198.18.0.2'] });
    expect(await world.ask(question('a.test'))).toMatchObject({ addresses: ['198.18.0.1'] });
    expect(world.names.nameOf('198.18.0.2')).toBe('b.test');
  });

  it('are unknown where they may not, and whenever that is not decided', async () => {
    const world = resolver([]);
    expect(await world.ask(question('evil.test'))).toEqual({ id: 0xabcd, code: 3, addresses: [] });
    expect(await world.ask(question('broken.test'))).toMatchObject({ code: 2, addresses: [] });
    expect(world.names.nameOf('198.18.0.1')).toBeUndefined();
  });

  it('have no address of IPv6, and no other record', async () => {
    const world = resolver(['a.test']);
    for (const type of [TYPE_AAAA, 15, 16, 33, 65])
      expect(await world.ask(question('a.test', type))).toMatchObject({ code: 0, addresses: [] });
  });

  it('are decided on again when the rules change', async () => {
    const world = resolver(['a.test']);
    await world.ask(question('a.test'));
    await world.ask(question('a.test'));
    expect(world.asked).toEqual(['a.test']);
    world.generation = 2;
    await world.ask(question('a.test'));
    expect(world.asked).toEqual(['a.test', 'a.test']);
  });

  it('of addresses and of the machine itself are asked of nobody', async () => {
    const world = resolver([]);
    for (const name of ['1.0.18.198.in-addr.arpa', 'localhost', 'x.localhost'])
      expect(await world.ask(question(name))).toMatchObject({ code: 3 });
    expect(world.asked).toEqual([]);
  });

  it('have other addresses with each gateway of a world, none of which lead to another name', () => {
    const first = new FakeAddresses(0);
    const second = new FakeAddresses(1);
    expect([first.of('a.test'), second.of('b.test')]).toEqual(['198.18.0.1', '198.18.16.1']);
    expect([second.nameOf('198.18.0.1'), isFake('198.18.0.1')]).toEqual([undefined, true]);
    expect(new FakeAddresses(31).of('c.test')).toBe('198.19.240.1');
    expect(() => new FakeAddresses(32)).toThrow(RangeError);
  });

  it('are so many at most', async () => {
    const world = resolver([]);
    for (let at = 0; at < 4096; at += 1) world.names.of(`${at}.test`);
    expect(world.names.of('0.test')).toBe('198.18.0.1');
    expect(world.names.of('one-more.test')).toBeUndefined();
  });
});

describe('a datagram of a world', () => {
  it('is counted where it is no question, and answered by nothing', async () => {
    const world = resolver(['a.test']);
    const whole = question('a.test');
    const answerBit = Buffer.from(whole);
    answerBit[2] = 0x81;
    const two = Buffer.from(whole);
    two[5] = 2;
    const all = [
      Buffer.alloc(0),
      Buffer.from('x'),
      Buffer.alloc(12),
      whole.subarray(0, -1),
      answerBit,
      two,
      Buffer.concat([whole.subarray(0, 12), Buffer.from([0xc0, 12, 0, 1, 0, 1])]),
      question('a b.test'),
      question('a\u0000.test'),
      Buffer.concat([whole.subarray(0, 12), Buffer.alloc(600, 1)]),
    ];
    for (const datagram of all) expect(await world.ask(datagram)).toBeUndefined();
    expect(world.malformed).toBe(all.length);
    expect(world.asked).toEqual([]);
  });

  it('never breaks the reader, whatever its bytes are', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 700 }), fc.boolean(), (bytes, isHeaded) => {
        const datagram = isHeaded
          ? Buffer.concat([question('a.test').subarray(0, 12), bytes])
          : Buffer.from(bytes);
        const found = readQuestion(datagram);
        expect(found === undefined || found.name.length < 256).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });
});
