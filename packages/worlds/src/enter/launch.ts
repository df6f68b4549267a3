import {
  closeSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmdirSync,
  rmSync,
  unlinkSync,
  writeFileSync,
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
import type { WorldLimits } from '../limits.js';

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
export interface WorldPlace extends Omit<Layout, 'sourceOf'> {
  /** The process that holds its network. */
  readonly holder: ProcessIdentity;
  /** A folder that no world sees. */
  readonly scratch: string;
  /** Where the world listens for programs that are to run there; undefined: nowhere. */
  readonly door: string | undefined;
  /** Root starts it: the user that it becomes. Undefined: it stays who it is. */
  readonly plainUid: number | undefined;
  /** Paths that are shown as empty, and cannot be read: of what is shown. None is in another one. */
  readonly hidden: readonly string[];
  readonly limits: WorldLimits;
}

/** The command that is spawned for a program in a world. */
export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  /** Nothing of ours, and nothing of the program's, which is outside of the world then. */
  readonly env: NodeJS.ProcessEnv;
  /**
   * Files that the child gets as its descriptors from 3 on. Behind them it gets a pipe for `readInit`, where
   * signals are handed on, and another one for `Supervisor`, whose end here ends the world.
   */
  readonly files: readonly number[];
  /** The child has them. */
  readonly release: () => void;
}

const PERL = '/usr/bin/perl';
const ENTER = fileURLToPath(new URL('./enter.pl', import.meta.url));
/** One file in the world. */
const INIT = ['./wire.pl', './init.pl'].map((name) => fileURLToPath(new URL(name, import.meta.url)));
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
  const { door, holder, plainUid, limits, user } = place;
  const programs = place.programs.map(({ source }) => source);
  const maps = [...new Set([place.folder, ...programs, ...place.read, ...place.write])];
  const sourceOf = (path: string): string => `/mnt/${maps.indexOf(path)}`;
  const words = [
    ...layoutArguments({ ...place, sourceOf }),
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
    files.add(Buffer.concat(INIT.map((path) => readFileSync(path)))),
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
    '--die-with-parent',
    '--as-pid-1',
    '--seccomp',
    files.add(filter),
    '--clearenv',
    ...Object.entries(program.env).flatMap(([name, value]) => ['--setenv', name, value]),
  ];
  // Where signals are handed on, bubblewrap says on a pipe behind the files to whom they go.
  const told = FIRST_FILE + files.count + 1;
  const hasPipe = program.signals.length > 0;
  // And behind that is the line by which the world notices that nobody has it any more.
  const line = hasPipe ? told + 1 : told;
  if (hasPipe) words.push('--info-fd', String(told));
  // By a file: a command line is everybody's to read.
  const options = files.add(words.map((word) => `${word}\0`).join(''));
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
      ...maps.flatMap((map, at) =>
        hiddenIn(map, place.hidden).flatMap((path) => ['--hide', `${at}:${path}`]),
      ),
      // No memory is dumped.
      ...['core=0', `nproc=${limits.processes}`].flatMap((limit) => ['--limit', limit]),
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
      ...program.command,
    ],
    env: {},
    files: files.open,
    release: () => files.close(),
  };
}

/** The hidden paths of a map, from there on. */
function hiddenIn(map: string, hidden: readonly string[]): readonly string[] {
  return hidden.filter((path) => isWithin(path, map)).map((path) => relative(map, path));
}

/**
 * Files that have no name any more, each at its descriptor. Not in the folder for such files: a repository
 * may say where that is, and a program of another world could change them there.
 */
class Files {
  readonly #folder: string;
  readonly #open: number[] = [];

  constructor(scratch: string) {
    this.#folder = mkdtempSync(join(scratch, 'sub-world-'));
  }

  get count(): number {
    return this.#open.length;
  }

  get open(): readonly number[] {
    rmdirSync(this.#folder);
    return [...this.#open];
  }

  /** The number that the child knows it by. */
  add(content: string | Buffer): string {
    const path = join(this.#folder, String(this.#open.length));
    writeFileSync(path, content, { mode: 0o600, flag: 'wx' });
    this.#open.push(openSync(path, 'r'));
    unlinkSync(path);
    return String(FIRST_FILE + this.#open.length - 1);
  }

  /** Closes all, whatever has come of them. */
  close(): void {
    for (const file of this.#open.splice(0)) closeSync(file);
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
