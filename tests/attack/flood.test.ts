import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { encodeFrame, type JsonObject, type JsonValue, RunOpened } from '@subluminal/core-types';
import { connectGateway, readCredential } from '@subluminal/ipc';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { createHome, type TestHome } from '../harness/home.js';
import { openRawSession, type RawSession } from '../harness/raw-session.js';
import { runSub, shimCommand } from '../harness/sub.js';
import { assertNoLongTurn } from '../support/watch.js';
import { runBegin, toolCall } from '../gateway/harness.js';
import { signedPeer } from '../gateway/raw-peer.js';

const ECHO = fileURLToPath(new URL('../fixtures/echo-server.mjs', import.meta.url));
const LONG = process.env['SUB_LONG'] !== undefined;
const SECONDS = LONG ? 60 : 2;
/**
 * What the gateway may need beyond what it had: all its budgets together (128 MiB in, 32 MiB out a peer), and
 * room.
 */
const MAX_GROWTH_MIB = 512;
const MIN_CALLS = 5;

let home: TestHome;
let honest: RawSession;
let socketPath: string;
let operatorKey: string;

beforeAll(async () => {
  home = createHome();
  await home.startWatched();
  socketPath = join(home.home, 'run', 'gateway.sock');
  operatorKey = join(home.home, 'keys', 'operator');
  honest = await openRawSession(shimCommand(home.home, 'echo', [process.execPath, ECHO]));
});
// The attack that held the loop is the test that fails.
afterEach(() => assertNoLongTurn(home.root));
afterAll(async () => {
  await honest.close();
  await home.remove();
});

/** Calls that the honest session makes, each answered, until `over`, and a few at least. */
async function callUntil(over: () => boolean): Promise<number> {
  let calls = 0;
  while (!over() || calls < MIN_CALLS) {
    const answer = await honest.request('tools/call', { name: 'echo', arguments: { calls } });
    expect(answer.error).toBeUndefined();
    calls += 1;
  }
  return calls;
}

/** An attack for so many seconds, while an honest session works. Gives how many calls that made. */
async function under(
  attack: (over: () => boolean) => Promise<number>,
): Promise<{ calls: number; tries: number }> {
  const pid = gatewayPid();
  const before = residentMiB(pid);
  const until = performance.now() + SECONDS * 1000;
  const over = (): boolean => performance.now() > until;
  const [calls, tries] = await Promise.all([callUntil(over), attack(over)]);
  expect(calls).toBeGreaterThanOrEqual(MIN_CALLS);
  expect(gatewayPid(), 'it is the same gateway').toBe(pid);
  expect(residentMiB(pid) - before).toBeLessThan(MAX_GROWTH_MIB);
  return { calls, tries };
}

function gatewayPid(): number {
  return (JSON.parse(readFileSync(join(home.home, 'run', 'gateway.json'), 'utf8')) as { pid: number }).pid;
}

/** The most that the process ever had in memory. */
function residentMiB(pid: number): number {
  return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
}

function open(): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ path: socketPath });
    socket.on('error', () => {
      socket.destroy();
      resolve(undefined);
    });
    socket.once('connect', () => resolve(socket));
  });
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

it('sessions that ask and read nothing are dropped, and cost the others nothing but time', async () => {
  const operator = await connectGateway({
    socketPath,
    credential: readCredential(operatorKey),
    clock: Date.now,
  });
  const opened = await operator.request('run.begin', runBegin());
  const { credential } = RunOpened.parse(opened.data);
  operator.close();
  const { tries } = await under(async (over) => {
    let dropped = 0;
    while (!over()) {
      const greedy = await signedPeer(socketPath, credential);
      greedy.peer.socket.pause();
      while (!over() && !greedy.peer.socket.destroyed) {
        for (let n = 0; n < 20; n += 1) void greedy.ask({ action: 'run.read' });
        await pause(1);
        if (greedy.peer.socket.writableLength > 4_000_000) break;
      }
      greedy.peer.socket.destroy();
      dropped += 1;
    }
    return dropped;
  });
  expect(tries).toBeGreaterThan(0);
}, 180_000);

it('peers that send without end are dropped, whether they have shown a key or not', async () => {
  const block = Buffer.alloc(65_536, 'x');
  const { tries } = await under(async (over) => {
    let sent = 0;
    const strangers = Array.from({ length: 4 }, async () => {
      while (!over()) {
        const socket = await open();
        if (socket === undefined) continue;
        while (!socket.destroyed && !over()) {
          socket.write(block);
          sent += 1;
          await pause(1);
        }
        socket.destroy();
      }
    });
    const known = Array.from({ length: 4 }, async () => {
      while (!over()) {
        const { peer } = await signedPeer(socketPath, readCredential(operatorKey));
        // The header of a frame of 8 MiB, and its body piece by piece: never the last one.
        peer.socket.write(encodeFrame('x'.repeat(8 * 1024 * 1024)).subarray(0, 4 * 1024 * 1024));
        for (let n = 0; n < 60 && !peer.socket.destroyed && !over(); n += 1) {
          peer.socket.write(block.subarray(0, 1));
          await pause(5);
        }
        peer.socket.destroy();
      }
    });
    await Promise.all([...strangers, ...known]);
    return sent;
  });
  expect(tries).toBeGreaterThan(0);
}, 180_000);

it('connections that say nothing, or half of a handshake, keep nobody out', async () => {
  const { tries } = await under(async (over) => {
    const sockets: Socket[] = [];
    let opened = 0;
    while (!over() || opened <= 100) {
      const socket = await open();
      if (socket === undefined) continue;
      opened += 1;
      if (opened % 2 === 0) socket.write(Buffer.from([0, 0, 0, 90, 0x7b]));
      sockets.push(socket);
      if (sockets.length > 500) sockets.shift()?.destroy();
      if (opened % 50 === 0) await pause(1);
    }
    for (const socket of sockets) socket.destroy();
    return opened;
  });
  expect(tries).toBeGreaterThan(100);
}, 180_000);

it('garbage on as many connections as can be opened keeps nobody out', async () => {
  const started = performance.now();
  const { tries, calls } = await under(async (over) => {
    let thrown = 0;
    const throwers = Array.from({ length: 16 }, async () => {
      while (!over() || thrown <= SECONDS * 50) {
        const socket = await open();
        if (socket === undefined) continue;
        const gone = new Promise<void>((resolve) => socket.once('close', () => resolve()));
        socket.resume();
        socket.end(randomBytes(300));
        await gone;
        thrown += 1;
      }
    });
    await Promise.all(throwers);
    return thrown;
  });
  expect(tries).toBeGreaterThan(SECONDS * 50);
  const seconds = (performance.now() - started) / 1000;
  if (LONG)
    process.stdout.write(
      `${Math.round(tries / seconds)} connections/s of garbage, ${Math.round(calls / seconds)} honest calls/s\n`,
    );
}, 180_000);

it('frames with as much in them as a frame may have keep nobody waiting', async () => {
  const operator = await connectGateway({
    socketPath,
    credential: readCredential(operatorKey),
    clock: Date.now,
  });
  const { credential } = RunOpened.parse((await operator.request('run.begin', runBegin())).data);
  operator.close();
  const keys = (count: number): JsonObject =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, 1]));
  const frames: readonly (readonly [args: JsonObject, taken: boolean])[] = [
    [keys(50_000), true],
    [{ all: Array.from({ length: 200_000 }, (_, n) => 1.234_567_890_123_456_7e-100 * (n + 1)) }, true],
    [{ text: '"'.repeat(4_000_000) }, true],
    [{ text: '\u0001'.repeat(1_300_000) }, true],
    [{ all: Array.from({ length: 500_000 }, () => []) }, false],
    [keys(80_000), false],
    [{ all: Array.from({ length: 700 }, (_, n) => ({ [`a${n}`]: keys(100) })) }, false],
  ];
  for (const [args, taken] of frames) {
    const client = await connectGateway({ socketPath, credential, clock: Date.now });
    const asked = client.request('tool.call.begin', toolCall({ args })).then(
      ({ status }) => status === 'success',
      () => false,
    );
    expect(await asked).toBe(taken);
    client.close();
    expect((await honest.request('tools/call', { name: 'echo', arguments: {} })).error).toBeUndefined();
  }
}, 180_000);

it('such frames, written as no client writes them, keep nobody waiting, and the frames behind them keep their place', async () => {
  const operator = await connectGateway({
    socketPath,
    credential: readCredential(operatorKey),
    clock: Date.now,
  });
  const { credential } = RunOpened.parse((await operator.request('run.begin', runBegin())).data);
  operator.close();
  const prefix = 'k'.repeat(100);
  const values: readonly JsonValue[] = [
    Object.fromEntries(Array.from({ length: 40_000 }, (_, n) => [`${prefix}${(n * 40_503) % 65_536}`, 1])),
    Array.from({ length: 300_000 }, (_, n) => `é\n${n}`),
    Array.from({ length: 250_000 }, () => []),
    // One key of two units, and keys whose order only their ends tell.
    Object.fromEntries([
      ['\u{1f600}', 1],
      ...Array.from({ length: 24_000 }, (_, n) => [`${prefix}${prefix}${(n * 40_503) % 65_536}`, 1]),
    ]) as JsonObject,
  ];
  for (const all of values) {
    const { peer, ask } = await signedPeer(socketPath, credential);
    const send = peer.send.bind(peer);
    // A space that JSON allows, and that no canonical text has.
    peer.send = (value) => send(JSON.stringify(value).replace('"all":', '"all": '));
    const first = ask({
      action: 'tool.call.begin',
      payload: toolCall({ args: { all } }),
    });
    const second = ask({ action: 'run.read' });
    expect((await honest.request('tools/call', { name: 'echo', arguments: {} })).error).toBeUndefined();
    const answers = [await first, await second];
    expect(answers.map((answer) => answer?.['status'])).toEqual(['success', 'success']);
    peer.socket.destroy();
  }
}, 180_000);

it('a frame that is no JSON at its very end keeps nobody waiting', async () => {
  for (const piece of ['a\\n', '\\"', '\\u0041', 'é']) {
    const { peer } = await signedPeer(socketPath, readCredential(operatorKey));
    const gone = new Promise((resolve) => peer.socket.once('close', resolve));
    const most = Math.floor(8_388_000 / Buffer.byteLength(piece));
    peer.socket.write(encodeFrame(`{"id":"${piece.repeat(most)}\\q"}`));
    expect((await honest.request('tools/call', { name: 'echo', arguments: {} })).error).toBeUndefined();
    await gone;
  }
}, 180_000);

it('afterwards the ledger is whole', async () => {
  expect(await runSub(['audit', 'verify', '--home', home.home])).toMatchObject({ code: 0 });
});
