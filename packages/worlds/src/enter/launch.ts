import {
  closeSync,
  constants,
  mkdtempSync,
  openSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ProcessIdentity, SublError } from '@subluminal/core-types';
import { layoutArguments, type Layout } from '../layout/arguments.js';
import { isWithin } from '../layout/folder.js';
import { generatedFiles } from '../layout/generated.js';
import { placeOf } from '../layout/system.js';
import { seccompFilter } from '../seccomp/filter.js';
import { systemCallsOf } from '../seccomp/numbers.js';
import type { WorldBounds } from './bounds.js';
import { firstProcess } from './first-process.js';

/** A program in a world. */
export interface WorldProgram {
  /** None: the world waits for programs at its door. */
  readonly command: readonly string[];
  /** Its whole environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Signals that the world's first process hands on to it. */
  readonly signals: readonly NodeJS.Signals[];
}

/** Where the world is, and how it looks. */
export interface WorldPlace extends Omit<Layout, 'add' | 'sourceOf'> {
  /** The process that holds its network. */
  readonly holder: ProcessIdentity;
  /** A folder that no world sees. */
  readonly scratch: string;
  /** Where the world listens for programs that are to run there; undefined: nowhere. */
  readonly door: string | undefined;
  /** The folder of the layer over the project; undefined: there is none. */
  readonly layer: string | undefined;
  /** Root starts it: the user that it becomes. Undefined: it stays who it is. */
  readonly plainUid: number | undefined;
  /** Paths that are shown as empty, and cannot be read: of what is shown. None is in another one. */
  readonly hidden: readonly string[];
  readonly bounds: WorldBounds;
}

/** The command that is spawned for a program in a world. */
export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  /** Nothing of ours, and nothing of the program's, which is outside of the world then. */
  readonly env: NodeJS.ProcessEnv;
  /**
   * Files that the child gets as its descriptors from 3 on. Behind them it gets a pipe for `Supervisor`,
   * whose end here ends the world. Undefined: it is no world, and gets none of this.
   */
  readonly files: readonly number[] | undefined;
  /** The process to which signals are sent, by the child's number; undefined as long as there is none. */
  readonly signalled: (child: number) => number | undefined;
  /** The child has them. */
  readonly release: () => void;
}

const PERL = '/usr/bin/perl';
const ENTER = fileURLToPath(new URL('./enter.pl', import.meta.url));
/** One file in the world; `limits.pl` is for a world that has limits. */
const INIT = ['./wire.pl', './programs.pl', './limits.pl', './init.pl'].map((name) =>
  fileURLToPath(new URL(name, import.meta.url)),
);
const BWRAP = '/usr/bin/bwrap';
/** The first descriptor after the three that every program has. */
const FIRST_FILE = 3;
const INIT_PLACE = '/run/subluminal/init.pl';

/**
 * Prepares the start of a program in a world. Throws `not_available` where this machine's system calls are
 * not known.
 */
export function launch(program: WorldProgram, place: WorldPlace): Launch {
  const calls = systemCallsOf(process.arch);
  if (calls === undefined)
    throw new SublError('not_available', `there is no world for \`${process.arch}\` yet`);
  const files = new Files(place.scratch);
  try {
    return launched(program, place, files, seccompFilter(calls));
  } catch (error) {
    files.close();
    throw error;
  }
}

function launched(program: WorldProgram, place: WorldPlace, files: Files, filter: Buffer): Launch {
  const { agent, bounds, door, holder, layer, plainUid, user } = place;
  const programs = [...place.programs, ...(agent?.view.programs ?? [])].map(({ source }) => source);
  const agentDoor = agent === undefined ? [] : [agent.folder];
  const maps = [...new Set([place.folder, ...programs, ...place.read, ...place.write, ...agentDoor])];
  const sourceOf = (path: string): string => `/mnt/${maps.indexOf(path)}`;
  const words = [
    ...layoutArguments({ ...place, add: (text) => files.add(text), sourceOf }),
    ...generatedFiles(user).flatMap(({ path, text }) => [
      '--perms',
      '0444',
      '--ro-bind-data',
      files.add(text),
      placeOf(path),
    ]),
    '--perms',
    '0444',
    '--ro-bind-data',
    files.add(initText(bounds)),
    INIT_PLACE,
    '--unshare-user',
    '--unshare-pid',
    '--unshare-ipc',
    '--unshare-uts',
    '--unshare-cgroup-try',
    '--uid',
    String(user.uid),
    '--gid',
    String(user.gid),
    '--hostname',
    'world',
    '--cap-drop',
    'ALL',
    '--as-pid-1',
    '--seccomp',
    files.add(filter),
    '--clearenv',
    ...Object.entries(program.env).flatMap(([name, value]) => ['--setenv', name, value]),
  ];
  // By a file: a command line is everybody's to read.
  const options = files.add(words.map((word) => `${word}\0`).join(''));
  // Behind the files is the line by which the world notices that nobody has it any more.
  const line = FIRST_FILE + files.count;
  const signals = program.signals.map((name) => name.slice(3)).join(',') || '-';
  return {
    command: PERL,
    args: [
      ENTER,
      '--parent',
      String(process.pid),
      '--net',
      String(holder.pid),
      '--since',
      holder.start,
      '--files',
      String(line + 1),
      ...(door === undefined ? [] : ['--door', `${line + 1}=${door}`]),
      ...(plainUid === undefined ? [] : ['--user', String(plainUid)]),
      ...maps.flatMap((path) => ['--map', path]),
      // No link of its path is followed: the gateway's home may stand behind one.
      ...(layer === undefined ? [] : ['--layer', `${maps.indexOf(place.folder)}:${realpathSync(layer)}`]),
      ...maps.flatMap((map, at) =>
        hiddenIn(map, place.hidden).flatMap((path) => ['--hide', `${at}:${path}`]),
      ),
      ...bounds.resources.flatMap((limit) => ['--limit', limit]),
      ...bounds.groups.flatMap((folder) => ['--group', folder]),
      '--',
      BWRAP,
      '--args',
      options,
      '--',
      PERL,
      INIT_PLACE,
      String(line),
      door === undefined ? '-' : String(line + 1),
      signals,
      bounds.watched ?? '-',
      ...program.command,
    ],
    env: {},
    files: files.open,
    signalled: firstProcess,
    release: () => files.close(),
  };
}

/** The hidden paths of a map, from there on. */
function hiddenIn(map: string, hidden: readonly string[]): readonly string[] {
  return hidden.filter((path) => isWithin(path, map)).map((path) => relative(map, path));
}

function initText({ watched }: WorldBounds): Buffer {
  const parts = INIT.filter((path) => watched !== undefined || !path.endsWith('limits.pl'));
  return Buffer.concat(parts.map((path) => readFileSync(path)));
}

/**
 * Files without a name, each at its descriptor. Not in the folder for such files: a repository may say where
 * that is, and a program of another world could change them there.
 */
export class Files {
  readonly #folder: string;
  readonly #open: number[] = [];

  constructor(scratch: string) {
    this.#folder = scratch;
  }

  get count(): number {
    return this.#open.length;
  }

  get open(): readonly number[] {
    return [...this.#open];
  }

  /** The number that the child knows it by. */
  add(content: string | Buffer): string {
    const bytes = typeof content === 'string' ? Buffer.from(content) : content;
    const file = nameless(this.#folder);
    this.#open.push(file);
    // By its place in the file: the child reads from where this descriptor stands, which is the beginning.
    for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at, bytes.length - at, at);
    return String(FIRST_FILE + this.#open.length - 1);
  }

  /** Closes all, whatever has come of them. */
  close(): void {
    for (const file of this.#open.splice(0)) closeSync(file);
  }
}

const { O_DIRECTORY, O_RDWR } = constants;
/** Node has no name for it: a file that never has one. */
const O_TMPFILE = 0o20_000_000 | O_DIRECTORY;

function nameless(folder: string): number {
  try {
    return openSync(folder, O_RDWR | O_TMPFILE, 0o600);
  } catch {
    // A file system that has none: it has its name for a moment.
    const own = mkdtempSync(join(folder, 'sub-world-'));
    try {
      return openSync(join(own, 'file'), 'wx+', 0o600);
    } finally {
      rmSync(own, { recursive: true });
    }
  }
}
