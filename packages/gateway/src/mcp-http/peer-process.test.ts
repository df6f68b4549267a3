import { connect, createServer } from 'node:net';
import { processIdentity } from '@subluminal/ipc';
import { describe, expect, it } from 'vitest';
import { peerProcess, type SocketTable } from './peer-process.js';

const HEAD =
  '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode';
const line = (local: string, remote: string, uid: number, inode: number, state = '01'): string =>
  `   0: ${local} ${remote} ${state} 00000000:00000000 00:00000000 00000000  ${uid}        0 ${inode} 1 0000000000000000 20 4 30 10 -1`;

function table(lines: readonly string[], more: Partial<SocketTable> = {}): SocketTable {
  return { tables: () => [[HEAD, ...lines].join('\n')], holders: () => [process.pid], uid: 1000, ...more };
}

/** 40000 at the client's end, 4017 at ours. */
const CLIENT = '0100007F:9C40';
const GATEWAY = '0100007F:0FB1';
const me = processIdentity(process.pid);

describe('the process at the other end', () => {
  it('is whoever holds the socket that the kernel names', () => {
    expect(peerProcess(40_000, 4017, table([line(CLIENT, GATEWAY, 1000, 77)]))).toEqual(me);
    const mapped = line(
      '0000000000000000FFFF00000100007F:9C40',
      '0000000000000000FFFF00000100007F:0FB1',
      1000,
      77,
    );
    expect(peerProcess(40_000, 4017, table([mapped]))).toEqual(me);
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
  ])('is not told by %s', (_name, lines) => {
    expect(peerProcess(40_000, 4017, table(lines))).toBeUndefined();
  });

  it('is none where no process holds the socket, or its process has ended', () => {
    const lines = [line(CLIENT, GATEWAY, 1000, 77)];
    expect(peerProcess(40_000, 4017, table(lines, { holders: () => [] }))).toBeUndefined();
    expect(peerProcess(40_000, 4017, table(lines, { holders: () => [4_194_304] }))).toBeUndefined();
  });

  it('is the one that started the others where several share it', () => {
    const lines = [line(CLIENT, GATEWAY, 1000, 77)];
    const holders = (): number[] => [process.pid, process.ppid];
    expect(peerProcess(40_000, 4017, table(lines, { holders }))).toEqual(processIdentity(process.ppid));
  });

  it('is never this process itself', async () => {
    const server = createServer((socket) => void socket.on('error', () => undefined));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const own = typeof address === 'object' && address !== null ? address.port : 0;
    const socket = connect({ host: '127.0.0.1', port: own });
    await new Promise((resolve) => socket.once('connect', resolve));
    expect(peerProcess(socket.localPort ?? 0, own)).toBeUndefined();
    socket.destroy();
    server.close();
  });
});
