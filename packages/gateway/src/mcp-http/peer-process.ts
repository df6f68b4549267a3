import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import type { ProcessIdentity } from '@subluminal/core-types';
import { ancestors, hasCode, processIdentity } from '@subluminal/ipc';

/** What is asked of the system. */
export interface SocketTable {
  /** The text of `/proc/net/tcp` and `/proc/net/tcp6`. */
  readonly tables: () => readonly string[];
  /** The processes of this user that hold a socket. */
  readonly holders: (inode: string) => readonly number[];
  readonly uid: number;
}

/** 127.0.0.1 as the kernel writes it, alone and inside of an IPv6 address. */
const LOOPBACK: ReadonlySet<string> = new Set(['0100007F', '0000000000000000FFFF00000100007F']);
const ESTABLISHED = '01';

/**
 * The process at the other end of a connection over 127.0.0.1, where it is this user's: of several that share the socket,
 * the one that started the others. Undefined where it cannot be told: the process is gone, or somebody else's, or the system
 * does not say (other than Linux). The kernel says it, and not the client.
 */
export function peerProcess(
  peerPort: number,
  ownPort: number,
  system: SocketTable = SYSTEM,
): ProcessIdentity | undefined {
  const inode = inodeOf(peerPort, ownPort, system);
  if (inode === undefined) return undefined;
  const holders = system.holders(inode);
  const pids = new Set(holders);
  const first = holders.find((pid) => !ancestors(pid).some((above) => pids.has(above.pid)));
  return first === undefined ? undefined : processIdentity(first);
}

function inodeOf(peerPort: number, ownPort: number, { tables, uid }: SocketTable): string | undefined {
  for (const table of tables()) {
    for (const line of table.split('\n').slice(1)) {
      const [, local, remote, state, , , , owner, , inode] = line.trim().split(/\s+/);
      if (local === undefined || remote === undefined || inode === undefined || state !== ESTABLISHED)
        continue;
      if (!isAt(local, peerPort) || !isAt(remote, ownPort)) continue;
      return Number(owner) === uid && inode !== '0' ? inode : undefined;
    }
  }
  return undefined;
}

function isAt(text: string, port: number): boolean {
  const [address = '', hex = ''] = text.split(':');
  return LOOPBACK.has(address) && Number.parseInt(hex, 16) === port;
}

const SYSTEM: SocketTable = {
  tables: () => {
    if (process.platform !== 'linux') return [];
    return ['/proc/net/tcp', '/proc/net/tcp6'].map((path) => {
      try {
        return readFileSync(path, 'latin1');
      } catch (error) {
        // A system without IPv6.
        if (hasCode(error, 'ENOENT')) return '';
        throw error;
      }
    });
  },
  holders: (inode) => {
    const wanted = `socket:[${inode}]`;
    return readdirSync('/proc')
      .filter((name) => /^[0-9]+$/.test(name))
      .map(Number)
      .filter((pid) => pid !== process.pid && holds(pid, wanted));
  },
  uid: process.getuid?.() ?? -1,
};

function holds(pid: number, wanted: string): boolean {
  try {
    const folder = `/proc/${pid}/fd`;
    return readdirSync(folder).some((name) => linkOf(`${folder}/${name}`) === wanted);
  } catch (error) {
    // It ended meanwhile, or is somebody else's.
    if (hasCode(error, 'ENOENT', 'ESRCH', 'EACCES', 'EPERM')) return false;
    throw error;
  }
}

function linkOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ESRCH', 'EACCES', 'EPERM')) return undefined;
    throw error;
  }
}
