import { opendirSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { type ProcessIdentity, SublError } from '@subluminal/core-types';
import { ancestors, hasCode, processIdentity } from '@subluminal/ipc';
import type { Turns } from '@subluminal/gateway';

/** What is asked of the system. */
export interface SocketTable {
  /** The text of `/proc/net/tcp` and `/proc/net/tcp6`. */
  readonly tables: () => readonly string[];
  /** Every process but this one. */
  readonly pids: () => readonly number[];
  /**
   * The open files of a process, one after the other. It gives none for a process that has ended, or is
   * somebody else's.
   */
  readonly files: (pid: number) => Iterable<string | undefined>;
  /** Whose processes they are; undefined for everybody's. */
  readonly uid: number | undefined;
}

/** The other end of a connection, by the ports of both. */
interface Wanted {
  readonly peerPort: number;
  readonly ownPort: number;
  readonly tell: (found: ProcessIdentity | undefined) => void;
  readonly fail: (error: unknown) => void;
  /** It waited for as long as anybody waits. */
  isOver: boolean;
}

/** 127.0.0.1 as the kernel writes it, alone and inside of an IPv6 address. */
const LOOPBACK: ReadonlySet<string> = new Set(['0100007F', '0000000000000000FFFF00000100007F']);
const ESTABLISHED = '01';
/** Open files that are looked at in one step, and of one process. */
const STEP_FILES = 256;
const MAX_FILES = 65_536;
/** How long an asker waits. */
const DEADLINE_MS = 10_000;
/** Processes that are looked at first, since somebody was found in them. */
const MAX_RECENT = 64;

/**
 * Tells the process at the other end of a connection over 127.0.0.1, where it is this user's. Of several that
 * share the socket it is the one that started the others. Undefined where it cannot be told: the process is
 * gone, or somebody else's, or the system does not say (other than Linux). The kernel says it, and not the
 * client.
 *
 * An asker waits for a look at all processes, and is told `timed_out` where that takes too long. One look at
 * a time serves everybody who waits, in turns with the rest of the gateway's work. It ends as soon as all are
 * found.
 */
export class PeerProcesses {
  readonly #turns: Turns;
  readonly #system: SocketTable;
  readonly #deadlineMs: number;
  /** Where somebody was found, the latest last. They are looked at like all others, but first. */
  readonly #recent = new Set<number>();
  #waiting: Wanted[] = [];
  #isLooking = false;

  constructor(
    turns: Turns,
    system: SocketTable = socketTable('/proc/net', process.getuid?.() ?? -1),
    deadlineMs = DEADLINE_MS,
  ) {
    this.#turns = turns;
    this.#system = system;
    this.#deadlineMs = deadlineMs;
  }

  /** Rejects with `timed_out`, and with the error of a system that cannot be asked. */
  of(peerPort: number, ownPort: number): Promise<ProcessIdentity | undefined> {
    let ended: () => void = () => undefined;
    const found = new Promise<ProcessIdentity | undefined>((tell, fail) => {
      const one = { peerPort, ownPort, tell, fail, isOver: false };
      this.#waiting.push(one);
      const timer = setTimeout(() => {
        one.isOver = true;
        fail(tooLate());
      }, this.#deadlineMs);
      ended = () => clearTimeout(timer);
    });
    if (!this.#isLooking) void this.#look();
    return found.finally(ended);
  }

  async #look(): Promise<void> {
    this.#isLooking = true;
    while (this.#waiting.length > 0) {
      const asked = this.#waiting.filter(({ isOver }) => !isOver);
      this.#waiting = [];
      const steps = this.#steps(asked);
      try {
        await this.#turns.work(() => !asked.every(({ isOver }) => isOver) && steps.next().done !== true);
        // A process that was not found cannot be told.
        for (const { tell } of asked) tell(undefined);
      } catch (error) {
        for (const { fail } of asked) fail(error);
      }
    }
    this.#isLooking = false;
  }

  /** Looks for those who are asked for, a step at a time. */
  *#steps(asked: readonly Wanted[]): Generator<undefined, void> {
    const wanted = socketsOf(asked, this.#system);
    yield;
    if (wanted.size === 0) return;
    const pids = this.#system.pids();
    const there = new Set(pids);
    const recent = [...this.#recent].filter((pid) => there.has(pid)).toReversed();
    for (const pid of new Set([...recent, ...pids])) {
      for (const socket of yield* this.#heldBy(pid, wanted)) {
        const first = yield* this.#firstOf(pid, socket);
        for (const { tell } of wanted.get(socket) ?? []) tell(processIdentity(first));
        wanted.delete(socket);
        this.#remember(first);
      }
      if (wanted.size === 0) return;
    }
  }

  /** Of a process and those that started it, the first that holds the socket. */
  *#firstOf(pid: number, socket: string): Generator<undefined, number> {
    let first = pid;
    for (const above of ancestors(pid)) {
      const held = yield* this.#heldBy(above.pid, new Map([[socket, []]]));
      if (held.length > 0) first = above.pid;
    }
    return first;
  }

  *#heldBy(pid: number, wanted: ReadonlyMap<string, unknown>): Generator<undefined, readonly string[]> {
    const held = new Set<string>();
    let looked = 0;
    for (const file of this.#system.files(pid)) {
      if (file !== undefined && wanted.has(file)) held.add(file);
      looked += 1;
      if (held.size === wanted.size || looked >= MAX_FILES) break;
      if (looked % STEP_FILES === 0) yield;
    }
    yield;
    return [...held];
  }

  #remember(pid: number): void {
    this.#recent.delete(pid);
    this.#recent.add(pid);
    for (const oldest of this.#recent) {
      if (this.#recent.size <= MAX_RECENT) return;
      this.#recent.delete(oldest);
    }
  }
}

function tooLate(): SublError {
  return new SublError('timed_out', 'which process asks was not found in time', {
    help: 'try again, or start the client with `sub run`',
  });
}

/** The sockets that are asked for, as `/proc` names them, where they are of this user. */
function socketsOf(asked: readonly Wanted[], { tables, uid }: SocketTable): Map<string, Wanted[]> {
  const byPorts = new Map<string, Wanted[]>();
  for (const one of asked) {
    const ports = `${one.peerPort} ${one.ownPort}`;
    byPorts.set(ports, [...(byPorts.get(ports) ?? []), one]);
  }
  const found = new Map<string, Wanted[]>();
  for (const table of tables()) {
    for (const line of table.split('\n').slice(1)) {
      const [, local, remote, state, , , , owner, , inode] = line.trim().split(/\s+/, 10);
      if (local === undefined || remote === undefined || inode === undefined || state !== ESTABLISHED)
        continue;
      const ports = `${portAt(local)} ${portAt(remote)}`;
      const whose = byPorts.get(ports);
      if (whose === undefined) continue;
      byPorts.delete(ports);
      if ((uid === undefined || Number(owner) === uid) && inode !== '0')
        found.set(`socket:[${inode}]`, whose);
    }
  }
  return found;
}

/** The user whose process opened the other end of a connection over 127.0.0.1; undefined if nothing tells. */
export function ownerOf(
  peerPort: number,
  ownPort: number,
  { tables }: Pick<SocketTable, 'tables'> = socketTable('/proc/net', undefined),
): number | undefined {
  for (const table of tables()) {
    for (const line of table.split('\n').slice(1)) {
      const [, local, remote, state, , , , owner] = line.trim().split(/\s+/, 10);
      if (local === undefined || remote === undefined || state !== ESTABLISHED) continue;
      if (portAt(local) === peerPort && portAt(remote) === ownPort) return Number(owner);
    }
  }
  return undefined;
}

/** The port of an end on 127.0.0.1; undefined for any other address. */
function portAt(text: string): number | undefined {
  const [address = '', hex = ''] = text.split(':');
  return LOOPBACK.has(address) ? Number.parseInt(hex, 16) : undefined;
}

/** The system's own table, with the sockets of one network. */
export function socketTable(net: string, uid: number | undefined): SocketTable {
  return { ...PROCESSES, uid, tables: () => tablesOf(net) };
}

function tablesOf(net: string): readonly string[] {
  if (process.platform !== 'linux') return [];
  return [`${net}/tcp`, `${net}/tcp6`].map((path) => {
    try {
      return readFileSync(path, 'latin1');
    } catch (error) {
      // A system without IPv6.
      if (hasCode(error, 'ENOENT')) return '';
      throw error;
    }
  });
}

const PROCESSES: Pick<SocketTable, 'pids' | 'files'> = {
  pids: () =>
    readdirSync('/proc')
      .filter((name) => /^[0-9]+$/.test(name))
      .map(Number)
      .filter((pid) => pid !== process.pid),
  files: function* files(pid) {
    const path = `/proc/${pid}/fd`;
    // Name by name: a process can have a million.
    const folder = pid === process.pid ? undefined : quietly(() => opendirSync(path));
    if (folder === undefined) return;
    try {
      for (
        let file = quietly(() => folder.readSync());
        file !== undefined && file !== null;
        file = quietly(() => folder.readSync())
      )
        yield linkOf(join(path, file.name));
    } finally {
      folder.closeSync();
    }
  },
};

/**
 * The outcome of reading about a process; undefined where it ended meanwhile, or is somebody else's, and for
 * a path that is longer than the system tells: any process can work in such a folder, or hold a file there.
 */
export function quietly<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ESRCH', 'EACCES', 'EPERM', 'ENAMETOOLONG')) return undefined;
    throw error;
  }
}

function linkOf(path: string): string | undefined {
  return quietly(() => readlinkSync(path));
}
