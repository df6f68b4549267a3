import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Arrivals, Doors } from '../doors.js';
import { openNamedDoor } from './door.js';

const TOKEN = '00'.repeat(32);
const PROOF = '01'.repeat(32);
/** A question about `a.test`. */
const QUESTION = Buffer.from('000101000001000000000000016104746573740000010001', 'hex');

interface Came {
  readonly connections: { readonly address: string; readonly port: number; readonly client: Socket }[];
  readonly questions: Buffer[];
  malformed: number;
}

describe('the door of a world without namespaces', () => {
  const open: Doors[] = [];
  const sockets: Socket[] = [];
  afterEach(() => {
    for (const doors of open.splice(0)) doors.close();
    for (const socket of sockets.splice(0)) socket.destroy();
  });

  async function opened(asked: Arrivals['asked'] = (question) => Promise.resolve(question)) {
    let count = 0;
    const doors = await openNamedDoor((size) => new Uint8Array(size).fill(count++));
    open.push(doors);
    const came: Came = { connections: [], questions: [], malformed: 0 };
    doors.serve({
      connected: (client, address, port) => came.connections.push({ address, port, client }),
      asked: (question) => {
        came.questions.push(question);
        return asked(question);
      },
      malformed: () => (came.malformed += 1),
    });
    const { door } = doors.place as { door: { port: number; token: string; proof: string } };
    return { doors, door, came };
  }

  /** Says that, and resolves with all that is answered until it is broken off, or `patience` is over. */
  function said(port: number, words: string | Buffer, patience = 300): Promise<Buffer> {
    return new Promise((resolve) => {
      let heard = Buffer.alloc(0);
      const socket = connect(port, '127.0.0.1', () => socket.write(words));
      sockets.push(socket);
      socket.on('data', (chunk) => (heard = Buffer.concat([heard, chunk])));
      socket.on('error', () => undefined);
      socket.once('close', () => resolve(heard));
      setTimeout(() => resolve(heard), patience);
    });
  }

  it('shows that it is the gateway, and hands the connection on with the address that was meant', async () => {
    const { door, came } = await opened();
    expect([door.token, door.proof]).toEqual([TOKEN, PROOF]);
    expect((await said(door.port, `${TOKEN} 93.184.216.34 443\n`)).toString()).toBe(PROOF);
    expect(came.connections).toMatchObject([{ address: '93.184.216.34', port: 443 }]);
    expect(came.connections[0]?.client.isPaused()).toBe(true);
    expect(came.malformed).toBe(0);
  });

  it.each([
    ['another token', `${'02'.repeat(32)} 1.2.3.4 80\n`],
    ['no token', '1.2.3.4 80\n'],
    ['no address', `${TOKEN} 1.2.3 80\n`],
    ['an address that is none', `${TOKEN} 1.2.3.400 80\n`],
    ['a port that is none', `${TOKEN} 1.2.3.4 65536\n`],
    ['port 0', `${TOKEN} 1.2.3.4 0\n`],
    ['words before its answer', `${TOKEN} 1.2.3.4 80\nGET / HTTP/1.0\r\n\r\n`],
    ['a request of a browser', 'GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'],
    ['a line without an end', 'x'.repeat(500)],
  ])('breaks off %s', async (_name, words) => {
    const { door, came } = await opened();
    expect((await said(door.port, words)).length).toBe(0);
    expect([came.connections, came.malformed]).toEqual([[], 1]);
  });

  it('takes its line in pieces', async () => {
    const { door, came } = await opened();
    const socket = connect(door.port, '127.0.0.1');
    sockets.push(socket);
    for (const piece of [TOKEN.slice(0, 9), TOKEN.slice(9), ' 1.2.3.4', ' 80\n']) {
      socket.write(piece);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    await vi.waitUntil(() => came.connections.length === 1);
    expect(came.connections).toMatchObject([{ address: '1.2.3.4', port: 80 }]);
  });

  it('answers questions about names on one connection, one after the other', async () => {
    const { door, came } = await opened();
    const socket = connect(door.port, '127.0.0.1');
    sockets.push(socket);
    let heard = Buffer.alloc(0);
    socket.on('data', (chunk) => (heard = Buffer.concat([heard, chunk])));
    socket.write(`${TOKEN} 8.8.8.8 53\n`);
    await vi.waitUntil(() => heard.length === PROOF.length);
    const framed = Buffer.concat([Buffer.from([0, QUESTION.length]), QUESTION]);
    for (const byte of Buffer.concat([framed, framed])) socket.write(Buffer.from([byte]));
    await vi.waitUntil(() => heard.length === PROOF.length + 2 * framed.length);
    expect(heard.subarray(PROOF.length)).toEqual(Buffer.concat([framed, framed]));
    expect([came.questions, came.connections]).toEqual([[QUESTION, QUESTION], []]);
  });

  it.each([
    ['has no length', Buffer.from([0, 0])],
    ['is longer than any', Buffer.from([0xff, 0xff])],
  ])('breaks off a question that %s', async (_name, words) => {
    const { door, came } = await opened();
    const socket = connect(door.port, '127.0.0.1');
    sockets.push(socket);
    const isOver = new Promise((resolve) => socket.once('close', resolve));
    socket.on('error', () => undefined).once('data', () => socket.write(words));
    socket.write(`${TOKEN} 8.8.8.8 53\n`);
    await isOver;
    expect(came.malformed).toBe(1);
  });

  it('keeps no more strangers than a few, and serves its own all the same once they are gone', async () => {
    const { door, came } = await opened();
    const strangers = await Promise.all(
      Array.from({ length: 70 }, () => {
        const socket = connect(door.port, '127.0.0.1');
        sockets.push(socket);
        return new Promise<Socket>((resolve) =>
          socket.on('error', () => undefined).once('connect', () => resolve(socket)),
        );
      }),
    );
    await vi.waitUntil(() => strangers.filter((one) => one.destroyed || one.readableEnded).length >= 6);
    for (const one of strangers) one.destroy();
    await new Promise((resolve) => setTimeout(resolve, 50));
    await said(door.port, `${TOKEN} 1.2.3.4 80\n`, 100);
    expect(came.connections).toHaveLength(1);
  });

  it('closes with everything that asks there', async () => {
    const { door, doors } = await opened(() => new Promise(() => undefined));
    const socket = connect(door.port, '127.0.0.1');
    sockets.push(socket);
    const isOver = new Promise((resolve) => socket.once('close', resolve));
    socket.on('error', () => undefined);
    socket.write(`${TOKEN} 8.8.8.8 53\n`);
    await new Promise((resolve) => socket.once('data', resolve));
    doors.close();
    await isOver;
    expect(await doors.ended).toBeUndefined();
  });
});
