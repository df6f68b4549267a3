import { sep } from 'node:path';
import { doorArguments, folderArguments, type AgentDoor } from './agent.js';
import type { WorldUser } from './generated.js';
import { isThere, systemArguments } from './system.js';
import type { Toolchain } from './toolchains.js';

/** The files that a program of a world sees besides the system. */
export interface Layout {
  readonly user: WorldUser;
  /** The folder that it works on, and may write. */
  readonly folder: string;
  /** The folder that it starts in. */
  readonly cwd: string;
  /** Programs of its home that it may run. */
  readonly programs: readonly Toolchain[];
  /** More that it may read, and write. */
  readonly read: readonly string[];
  readonly write: readonly string[];
  /** Bytes that each folder which is memory may have at most; `Infinity`: as many as in every world. */
  readonly tmpBytes: number;
  /** The gateway's door, and what an agent finds; undefined for a server, which asks for nothing. */
  readonly agent: AgentDoor | undefined;
  /** The descriptor of a file with that text. */
  readonly add: (text: string) => string;
  /** Where the machine has a file under which the program finds it at `path`: an id-mapped mount of it. */
  readonly sourceOf: (path: string) => string;
}

/** Bytes of /tmp and of /dev/shm, which are memory. */
const TMP_BYTES = 1_073_741_824;
const SHM_BYTES = 67_108_864;

/** The arguments of bubblewrap for the files of a world, in the order in which it makes them. */
export function layoutArguments(layout: Layout): string[] {
  const { user, folder, cwd, programs, read, write, agent, add, sourceOf, tmpBytes } = layout;
  const tmp = String(Math.min(TMP_BYTES, tmpBytes));
  const shm = String(Math.min(SHM_BYTES, tmpBytes));
  return [
    ...systemArguments(),
    '--proc',
    '/proc',
    // The kernel asks for a user id there, and for no capability.
    '--ro-bind',
    '/proc/sys',
    '/proc/sys',
    '--dev',
    '/dev',
    '--size',
    shm,
    '--tmpfs',
    '/dev/shm',
    '--remount-ro',
    '/dev',
    '--size',
    tmp,
    '--tmpfs',
    '/tmp',
    '--size',
    shm,
    '--tmpfs',
    '/run',
    '--symlink',
    '../run',
    '/var/run',
    '--size',
    tmp,
    '--tmpfs',
    '/var/tmp',
    '--size',
    tmp,
    '--tmpfs',
    user.home,
    ...(agent === undefined ? [] : folderArguments(agent, tmp)),
    ...inOrder([
      ...[...programs, ...(agent?.view.programs ?? [])].map((program) => ({ ...program, isWritten: false })),
      ...read.map((path) => ({ path, source: path, isWritten: false })),
      ...write.map((path) => ({ path, source: path, isWritten: true })),
      { path: folder, source: folder, isWritten: true },
    ]).flatMap(({ path, source, isWritten }) => [isWritten ? '--bind' : '--ro-bind', sourceOf(source), path]),
    ...(agent === undefined
      ? []
      : doorArguments(agent, { shown: [folder, ...read, ...write], size: shm, add, sourceOf })),
    // Else what bubblewrap builds on would be memory that nothing bounds.
    '--remount-ro',
    '/',
    '--chdir',
    cwd,
  ];
}

interface Shown extends Toolchain {
  readonly isWritten: boolean;
}

/** Folders before what stands in them, so that the narrower word holds; of one path the last word. */
function inOrder(all: readonly Shown[]): Shown[] {
  const known = new Map(all.filter(({ source }) => isThere(source)).map((one) => [one.path, one]));
  return [...known.values()].toSorted((a, b) => a.path.split(sep).length - b.path.split(sep).length);
}
