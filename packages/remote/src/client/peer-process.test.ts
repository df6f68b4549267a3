import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { processIdentity } from '@subluminal/ipc';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Turns } from '@subluminal/gateway';
import { PeerProcesses, type SocketTable } from './peer-process.js';

const HEAD =
  '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode';
const line = (local: string, remote: string, uid: number, inode: number, state = '01'): string =>
  `   0: ${local} ${remote} ${state} 00000000:00000000 00:00000000 00000000  ${uid}        0 ${inode} 1 0000000000000000 20 4 30 10 -1`;

function table(lines: readonly string[], more: Partial<SocketTable> = {}): SocketTable {
  return {
    tables: () => [[HEAD, ...lines].join('\n')],
    pids: () => [process.pid],
    files: (pid) => ([process.pid, 4_194_304].includes(pid) ? ['socket:[76]', undefined, 'socket:[77]'] : []),
    uid: 1000,
    ...more,
  };
}

const turns = (): Turns => new Turns(() => performance.now());
const peerProcess = (peerPort: number, ownPort: number, system?: SocketTable) =>
  new PeerProcesses(turns(), system).of(peerPort, ownPort);

/** 40000 at the client's end, 4017 at ours. */
const CLIENT = '0100007F:9C40';
const GATEWAY = '0100007F:0FB1';
const me = processIdentity(process.pid);

describe('the process at the other end', () => {
  it('is whoever holds the socket that the kernel names', async () => {
    expect(await peerProcess(40_000, 4017, table([line(CLIENT, GATEWAY, 1000, 77)]))).toEqual(me);
    const mapped = line(
      '0000000000000000FFFF00000100007F:9C40',
      '0000000000000000FFFF00000100007F:0FB1',
      1000,
      77,
    );
    expect(await peerProcess(40_000, 4017, table([mapped]))).toEqual(me);
  });

  it.each([
    ['our own end of the connection', [line(GATEWAY, CLIENT, 1000, 77)]],
    ['a socket of somebody else', [line(CLIENT, GATEWAY, 1001, 77)]],
    ['a connection to another address', [line('0200007F:9C40', GATEWAY, 1000, 77)]],
    ['another port', [line('0100007F:9C41', GATEWAY, 1000, 77)]],
    ['a socket that nobody holds any more', [line(CLIENT, GATEWAY, 1000, 0)]],
    ['one that is closing', [line(CLIENT, GATEWAY, 1000, 77, '06')]],
    ['a table without lines', []],
    ['a table that is none', ['x', '']],
  ])('is not told by %s', async (_name, lines) => {
    expect(await peerProcess(40_000, 4017, table(lines))).toBeUndefined();
  });

  it('is none where no process holds the socket, or its process has ended', async () => {
    const lines = [line(CLIENT, GATEWAY, 1000, 77)];
    expect(await peerProcess(40_000, 4017, table(lines, { pids: () => [] }))).toBeUndefined();
    expect(await peerProcess(40_000, 4017, table(lines, { pids: () => [4_194_304] }))).toBeUndefined();
  });

  it('is the one that started the others where several share it', async () => {
    const lines = [line(CLIENT, GATEWAY, 1000, 77)];
    const pids = (): number[] => [process.pid, process.ppid];
    const files = (pid: number): string[] => (pids().includes(pid) ? ['socket:[77]'] : []);
    expect(await peerProcess(40_000, 4017, table(lines, { pids, files }))).toEqual(
      processIdentity(process.ppid),
    );
  });

  it('is never this process itself', async () => {
    const server = createServer((socket) => void socket.on('error', () => undefined));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const own = typeof address === 'object' && address !== null ? address.port : 0;
    const socket = connect({ host: '127.0.0.1', port: own });
    await new Promise((resolve) => socket.once('connect', resolve));
    expect(await peerProcess(socket.localPort ?? 0, own)).toBeUndefined();
    socket.destroy();
    server.close();
  });

  it('is found although it has a file open whose path is longer than the system tells', async () => {
    const scratch = mkdtempSync('/var/tmp/sub-deep-');
    const server = createServer();
    onTestFinished(() => {
      server.close();
      // Node removes by whole paths.
      execFileSync('rm', ['-rf', scratch]);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const own = typeof address === 'object' && address !== null ? address.port : 0;
    const script = `
      for (let depth = 0; depth < 25; depth += 1) {
        fs.mkdirSync('d'.repeat(200));
        process.chdir('d'.repeat(200));
      }
      fs.openSync('x', 'w');
      net.connect(${own}, '127.0.0.1');`;
    const client = spawn(process.execPath, ['-e', script], { cwd: scratch, stdio: 'ignore' });
    onTestFinished(() => void client.kill());
    const socket = await new Promise<Socket>((resolve) => server.once('connection', resolve));
    expect(await peerProcess(socket.remotePort ?? 0, own)).toEqual(processIdentity(client.pid ?? 0));
    socket.destroy();
  });

  it('is found for everybody who asks meanwhile by one look at the system, and by a second for those who come later', async () => {
    let looks = 0;
    const lines = Array.from({ length: 50 }, (_, n) =>
      line(`0100007F:${(40_000 + n).toString(16).toUpperCase()}`, GATEWAY, 1000, 100 + n),
    );
    const tables = (): string[] => {
      looks += 1;
      return [[HEAD, ...lines].join('\n')];
    };
    const all = Array.from({ length: 50 }, (_, n) => `socket:[${100 + n}]`);
    const files = (pid: number): string[] => (pid === process.pid ? all : []);
    // No time is left in a turn behind a step: a look takes several.
    let now = 0;
    const short = new Turns(() => (now += 20));
    const peers = new PeerProcesses(short, table([], { tables, files }));
    const first = peers.of(40_000, 4017);
    const later = Array.from({ length: 49 }, (_, n) => peers.of(40_001 + n, 4017));
    expect(await Promise.all([first, ...later])).toEqual(Array.from({ length: 50 }, () => me));
    expect(looks).toBe(2);
  });

  it('is looked for where somebody was found before, first, and no further than to where it is', async () => {
    const looked: number[] = [];
    const pids = (): number[] => [4_194_301, 4_194_302, process.pid, 4_194_303];
    const files = (pid: number): string[] => {
      looked.push(pid);
      return pid === process.pid ? ['socket:[77]'] : [];
    };
    const peers = new PeerProcesses(turns(), table([line(CLIENT, GATEWAY, 1000, 77)], { pids, files }));
    expect(await peers.of(40_000, 4017)).toEqual(me);
    expect(looked.slice(0, 3)).toEqual([4_194_301, 4_194_302, process.pid]);
    expect(looked).not.toContain(4_194_303);
    looked.length = 0;
    expect(await peers.of(40_000, 4017)).toEqual(me);
    expect(looked[0]).toBe(process.pid);
    expect(looked).not.toContain(4_194_301);
  });

  it('is not told, in an error, where the system cannot be asked; the next who asks is told', async () => {
    let isBroken = true;
    const tables = (): string[] => {
      if (isBroken) throw new Error('no table');
      return [[HEAD, line(CLIENT, GATEWAY, 1000, 77)].join('\n')];
    };
    const peers = new PeerProcesses(turns(), table([], { tables }));
    await expect(peers.of(40_000, 4017)).rejects.toThrow('no table');
    isBroken = false;
    expect(await peers.of(40_000, 4017)).toEqual(me);
  });

  it('is not told, in an error, where that takes too long; nobody is looked for then, and the next who asks is told', async () => {
    let looked = 0;
    let isSlow = true;
    const pids = (): number[] => Array.from({ length: isSlow ? 1e6 : 1 }, () => process.pid);
    const files = function* (pid: number): Generator<string | undefined> {
      const most = isSlow ? 1e6 : 0;
      for (let at = 0; at < most; at += 1) {
        looked += 1;
        yield undefined;
      }
      if (pid === process.pid) yield 'socket:[77]';
    };
    const system = table([line(CLIENT, GATEWAY, 1000, 77)], { pids, files });
    const peers = new PeerProcesses(turns(), system, 30);
    await Promise.all(
      [0, 1].map(() =>
        expect(peers.of(40_000, 4017)).rejects.toMatchObject({
          code: 'timed_out',
          help: expect.stringContaining('sub run'),
        }),
      ),
    );
    await new Promise((resolve) => setTimeout(resolve, 50));
    const before = looked;
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(looked).toBe(before);
    isSlow = false;
    expect(await peers.of(40_000, 4017)).toEqual(me);
  });

  it.skipIf(process.platform !== 'linux')(
    'is a process that the system shows, among all others',
    async () => {
      const server = createServer((socket) => void socket.on('error', () => undefined));
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const address = server.address();
      const own = typeof address === 'object' && address !== null ? address.port : 0;
      const program = `require('node:net').connect(${own}, '127.0.0.1', function () { console.log(this.localPort); })`;
      const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit'] });
      const port = await new Promise<number>((resolve) =>
        child.stdout.once('data', (text: Buffer) => resolve(Number(text))),
      );
      expect(await peerProcess(port, own)).toEqual(processIdentity(child.pid ?? 0));
      child.kill();
      server.close();
    },
  );
});
