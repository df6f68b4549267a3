import { createSocket } from 'node:dgram';
import { createServer, Socket } from 'node:net';
import { describe, expect, test, vi } from 'vitest';
import { SublError } from '@subluminal/core-types';
import type { WorldSettings } from '@subluminal/policy';
import type { Doors } from './doors.js';
import { namespaceDoors } from './namespaces/namespace-doors.js';
import type { AskedSession } from './world.js';
import { Worlds, type WorldsParts } from './worlds.js';

type Asked = Awaited<ReturnType<AskedSession['request']>>;

const FREE: WorldSettings = {
  profile: undefined,
  limits: {
    memoryBytes: undefined,
    cpus: undefined,
    processes: undefined,
    wallMs: undefined,
    diskBytes: undefined,
  },
  reuse: true,
  fs: { ask: [], hide: [], read: [], write: [] },
  isolated: [],
  hosts: [],
  budget: { bytesPerSecond: undefined, totalBytes: undefined },
};

/** A question about `a.test`. */
const QUESTION = Buffer.from('000101000001000000000000016104746573740000010001', 'hex');

function worldsOf(openDoors: WorldsParts['openDoors'], request: AskedSession['request']): Worlds {
  return new Worlds(partsOf(openDoors, request));
}

function someDoors(): Doors {
  return namespaceDoors({
    holder: { pid: 1, start: '1' },
    kept: undefined,
    tcp: createServer(),
    udp: createSocket('udp4'),
    listen: () => Promise.reject(new Error('not here')),
    ended: new Promise(() => undefined),
    close: () => undefined,
  });
}

function partsOf(openDoors: WorldsParts['openDoors'], request: AskedSession['request']): WorldsParts {
  return {
    openDoors,
    openDoor: () => Promise.resolve({ folder: '/d', port: undefined, close: () => undefined }),
    takeOverDoors: () => Promise.reject(new Error('nobody asks for it')),
    store: { left: () => [], put: () => undefined, makeFolder: () => '/d', remove: () => undefined },
    openNamedDoor: () => Promise.reject(new Error('nobody asks for it')),
    openSession: () => ({ request, end: () => undefined }),
    registry: { live: () => undefined },
    onLost: () => undefined,
    generation: () => 0,
    settings: () => FREE,
    carry: () => undefined,
    onMalformed: () => undefined,
    monotonic: () => 0,
    log: { error: () => undefined },
  };
}

describe('a world', () => {
  test('that is closed while a question waits does not end the gateway', async () => {
    const udp = createSocket('udp4');
    await new Promise<void>((resolve) => udp.bind(0, '127.0.0.1', resolve));
    const { port } = udp.address();
    const doors = (): Doors =>
      namespaceDoors({
        holder: { pid: 1, start: '1' },
        kept: undefined,
        tcp: createServer(),
        udp,
        listen: () => Promise.reject(new Error('not here')),
        ended: new Promise(() => undefined),
        close: () => udp.close(),
      });
    let isAsked: () => void = () => undefined;
    const asked = new Promise<void>((resolve) => (isAsked = resolve));
    let decide: (answer: Asked) => void = () => undefined;
    const decided = new Promise<Asked>((resolve) => (decide = resolve));
    let first = true;
    const worlds = worldsOf(
      () => (first ? Promise.resolve(doors()) : new Promise(() => undefined)),
      () => {
        isAsked();
        return decided;
      },
    );
    const opened = worlds.open(
      {
        id: 'w',
        runId: 'r',
        serverName: undefined,
        starter: undefined,
        shimId: undefined,
        sandboxOff: undefined,
        folder: '/p',
        hasDoor: false,
      },
      'full',
    );
    first = false;
    await opened;
    worlds.serve('w');
    const client = createSocket('udp4');
    client.send(QUESTION, port, '127.0.0.1');
    await asked;
    client.close();
    worlds.close('w');
    const failures: unknown[] = [];
    const take = (error: unknown): void => void failures.push(error);
    process.on('unhandledRejection', take);
    decide({ status: 'success' });
    await new Promise((resolve) => setTimeout(resolve, 20));
    process.off('unhandledRejection', take);
    expect(failures).toEqual([]);
  });

  test('that is closed has no connection any more', async () => {
    const tcp = createServer();
    const worlds = worldsOf(
      () =>
        Promise.resolve(
          namespaceDoors({
            holder: { pid: 1, start: '1' },
            kept: undefined,
            tcp,
            udp: createSocket('udp4'),
            listen: () => Promise.reject(new Error('not here')),
            ended: new Promise(() => undefined),
            close: () => undefined,
          }),
        ),
      () => Promise.resolve({ status: 'success' }),
    );
    await worlds.open(
      {
        id: 'w',
        runId: 'r',
        serverName: undefined,
        starter: undefined,
        shimId: undefined,
        sandboxOff: undefined,
        folder: '/p',
        hasDoor: false,
      },
      'full',
    );
    worlds.serve('w');
    const client = Object.defineProperties(new Socket(), {
      localAddress: { value: '192.0.2.1' },
      localPort: { value: 80 },
    });
    tcp.emit('connection', client);
    expect(client.destroyed).toBe(false);
    worlds.close('w');
    expect(client.destroyed).toBe(true);
  });

  test('that is being opened counts among those of its run', async () => {
    const worlds = worldsOf(
      () => new Promise(() => undefined),
      () => Promise.resolve({ status: 'success' }),
    );
    const owner = {
      id: 'w',
      runId: 'r',
      serverName: undefined,
      starter: undefined,
      shimId: undefined,
      sandboxOff: undefined,
      folder: '/p',
      hasDoor: false,
    };
    for (let at = 0; at < 32; at += 1) void worlds.open(owner, 'full');
    await expect(worlds.open(owner, 'full')).rejects.toMatchObject({ code: 'overloaded' });
  });

  test('whose network is gone is closed, and told of once', async () => {
    let end: () => void = () => undefined;
    const ended = new Promise<void>((resolve) => (end = resolve));
    const lost: unknown[] = [];
    const worlds = new Worlds({
      ...partsOf(
        () => Promise.resolve({ ...someDoors(), ended }),
        () => Promise.resolve({ status: 'success' }),
      ),
      onLost: ({ id }, cause) => lost.push([id, cause]),
    });
    const owner = {
      runId: 'r',
      serverName: undefined,
      starter: undefined,
      shimId: undefined,
      sandboxOff: undefined,
      folder: '/p',
      hasDoor: false,
    };
    for (const id of ['closed', 'open']) await worlds.open({ ...owner, id }, 'full');
    worlds.close('closed');
    end();
    await ended;
    expect([lost, worlds.size]).toEqual([[['open', 'network_gone']], 0]);
  });

  test('reaches the hosts that every policy leaves to it, under the rules of the moment', async () => {
    let generation = 0;
    let settings: WorldSettings = FREE;
    const worlds = new Worlds({
      ...partsOf(
        () => Promise.resolve(someDoors()),
        () => Promise.resolve({ status: 'success' }),
      ),
      generation: () => generation,
      settings: () => settings,
    });
    await worlds.open(
      {
        id: 'w',
        runId: 'r',
        serverName: 'files',
        starter: undefined,
        shimId: undefined,
        sandboxOff: undefined,
        folder: '/p',
        hasDoor: false,
      },
      'full',
    );
    const refusal = (host: string): string | undefined => worlds.termsOf('w', 'r')?.refusal(host)?.message;
    expect(worlds.termsOf('w', 'r')).toBeDefined();
    expect(worlds.termsOf('w', 'other')).toBeUndefined();
    expect(refusal('a.example')).toBeUndefined();
    settings = {
      ...FREE,
      profile: 'shop',
      hosts: [
        { kind: 'home', profile: 'shop', allowed: new Set(['a.example', 'b.example']) },
        { kind: 'project', profile: undefined, allowed: new Set(['b.example', 'c.example']) },
      ],
    };
    expect(refusal('c.example')).toBeUndefined();
    generation += 1;
    expect(refusal('b.example')).toBeUndefined();
    expect(refusal('c.example')).toBe(
      '`c.example` is not among the hosts that the world profile `shop` of the policy leaves to this world',
    );
    expect(refusal('a.example')).toBe(
      '`a.example` is not among the hosts that `world` of the policy of the project leaves to this world',
    );
    worlds.close('w');
    expect(worlds.termsOf('w', 'r')).toBeUndefined();
  });

  describe('of the gateway before', () => {
    const owner = {
      id: 'w',
      runId: 'r',
      serverName: undefined,
      starter: undefined,
      shimId: undefined,
      sandboxOff: undefined,
      folder: '/p',
      hasDoor: false,
    };
    const inside = { pid: 7, start: '1' };
    const leaving = (more: Partial<WorldsParts> = {}, gateway = 0) => {
      const removed: string[] = [];
      const put: unknown[] = [];
      const lost: unknown[] = [];
      const worlds = new Worlds({
        ...partsOf(
          () => Promise.resolve(someDoors()),
          () => Promise.resolve({ status: 'success' }),
        ),
        takeOverDoors: ({ cookie }) =>
          Promise.resolve({
            ...someDoors(),
            namespace: {
              holder: inside,
              kept: { cookie },
              listen: () => Promise.reject(new Error('not here')),
            },
          }),
        registry: { live: () => ({}) as ReturnType<WorldsParts['registry']['live']> },
        onLost: ({ id }, cause) => lost.push([id, cause]),
        store: {
          left: () => [{ owner, network: { cookie: '5' }, gateway, spentBytes: 9, hooksPort: undefined }],
          put: (kept) => put.push(kept),
          makeFolder: () => '/d',
          remove: (id) => removed.push(id),
        },
        ...more,
      });
      return { worlds, removed, put, lost };
    };

    test('is had by its own run alone, once, and told to the gateway after this one', async () => {
      const { worlds, put, removed } = leaving();
      expect([worlds.isOf('w', 'r'), worlds.isOf('w', 'other')]).toEqual([true, false]);
      await expect(worlds.resume('w', 'other', inside)).rejects.toMatchObject({ code: 'not_found' });
      const twice = [worlds.resume('w', 'r', inside), worlds.resume('w', 'r', inside)];
      const [resumed, same] = await Promise.all(twice);
      expect([resumed?.gateway, same === resumed, worlds.size]).toEqual([1, true, 1]);
      expect(await worlds.resume('w', 'r', inside)).toBe(resumed);
      expect(put).toEqual([]);
      worlds.serve('w');
      worlds.stop();
      expect(put.at(-1)).toEqual({
        owner,
        network: { cookie: '5' },
        gateway: 1,
        spentBytes: 9,
        hooksPort: undefined,
      });
      expect(removed).toEqual([]);
    });

    test('waits on if its network could not be had, and has 32 gateways at most', async () => {
      let fails = true;
      const { worlds } = leaving({
        takeOverDoors: () =>
          fails ? Promise.reject(new SublError('not_available', 'not now')) : Promise.resolve(someDoors()),
      });
      await expect(worlds.resume('w', 'r', inside)).rejects.toMatchObject({ code: 'not_available' });
      fails = false;
      await worlds.resume('w', 'r', inside);
      await expect(leaving({}, 31).worlds.resume('w', 'r', inside)).rejects.toMatchObject({
        code: 'not_available',
      });
    });

    test('is asked for sixteen times at most, since each time is a process', async () => {
      let tries = 0;
      const { worlds } = leaving({
        takeOverDoors: () => {
          tries += 1;
          return Promise.reject(new SublError('not_available', 'not now'));
        },
      });
      for (let at = 0; at < 20; at += 1)
        await expect(worlds.resume('w', 'r', inside)).rejects.toMatchObject({ code: 'not_available' });
      expect(tries).toBe(16);
    });

    test('that ends while it is opened again is not open, and its end is one of the run’s', async () => {
      const { worlds, removed } = leaving();
      const resumed = worlds.resume('w', 'r', inside);
      expect(worlds.isOf('w', 'r')).toBe(true);
      worlds.close('w');
      await expect(resumed).rejects.toMatchObject({ code: 'not_found' });
      expect([worlds.size, removed.includes('w')]).toEqual([0, true]);
    });

    test('is as it was where its beginning was not recorded, though its doors are gone then', async () => {
      const ends: (() => void)[] = [];
      const { worlds, lost, put, removed } = leaving({
        takeOverDoors: ({ cookie }) => {
          let end: () => void = () => undefined;
          const ended = new Promise<void>((resolve) => (end = resolve));
          ends.push(end);
          const kept = { cookie };
          const listen = (): Promise<never> => Promise.reject(new Error('not here'));
          return Promise.resolve({
            ...someDoors(),
            ended,
            close: end,
            namespace: { holder: inside, kept, listen },
          });
        },
      });
      await worlds.resume('w', 'r', inside);
      worlds.abandon('w');
      await new Promise((resolve) => setImmediate(resolve));
      expect([ends.length, lost]).toEqual([1, []]);
      expect([worlds.size, worlds.isOf('w', 'r'), removed]).toEqual([0, true, []]);
      expect((await worlds.resume('w', 'r', inside)).gateway).toBe(1);
      // Its beginning is not recorded yet: the next gateway knows what this one knew.
      worlds.stop();
      expect(put).toEqual([]);
    });

    test('is lost where the next gateway cannot be told that its addresses are used up', async () => {
      const full = (): never => {
        throw new Error('no space left');
      };
      const { worlds, lost } = leaving({
        store: {
          left: () => [{ owner, network: { cookie: '5' }, gateway: 0, spentBytes: 0, hooksPort: undefined }],
          put: full,
          makeFolder: () => '/d',
          remove: () => undefined,
        },
      });
      await worlds.resume('w', 'r', inside);
      expect(() => worlds.serve('w')).toThrow(/ended before it was served/);
      expect([lost, worlds.size]).toEqual([[['w', 'network_gone']], 0]);
    });

    test('is none where its files are not as a gateway makes them', () => {
      const unsafe = (): never => {
        throw new SublError('home_unsafe', 'others can write there');
      };
      const store = { left: unsafe, put: unsafe, makeFolder: unsafe, remove: () => undefined };
      expect(leaving({ store }).worlds.isOf('w', 'r')).toBe(false);
    });

    test('is given up after half a minute, with its end recorded, and at once with its run', () => {
      vi.useFakeTimers();
      try {
        let now = 0;
        const { worlds, lost, removed } = leaving({ monotonic: () => now });
        worlds.start();
        now = 29_000;
        vi.advanceTimersByTime(600);
        expect([lost, worlds.isOf('w', 'r')]).toEqual([[], true]);
        now = 30_000;
        vi.advanceTimersByTime(600);
        expect([lost, worlds.isOf('w', 'r'), removed]).toEqual([[['w', 'gateway_gone']], false, ['w']]);
        worlds.stop();
        const ended = leaving({ registry: { live: () => undefined } });
        ended.worlds.start();
        vi.advanceTimersByTime(600);
        expect([ended.lost, ended.removed]).toEqual([[], ['w']]);
        ended.worlds.stop();
      } finally {
        vi.useRealTimers();
      }
    });
  });
});
