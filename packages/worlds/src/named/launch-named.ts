import { chownSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SublError } from '@subluminal/core-types';
import type { WorldBounds } from '../enter/bounds.js';
import { Files, type Launch, type WorldProgram } from '../enter/launch.js';
import { isWithin } from '../layout/folder.js';
import { systemFolders } from '../layout/system.js';
import { systemCallsOf } from '../seccomp/numbers.js';
import { namedCallsOf, type PathCall } from './calls.js';
import { namedFilter } from './filter.js';

/** Where the gateway takes the connections of one world without a network of its own. */
export interface NamedDoor {
  /** On 127.0.0.1. */
  readonly port: number;
  /** Shows the gateway whose connection it is. */
  readonly token: string;
  /** The gateway’s answer, which shows that it is the gateway. */
  readonly proof: string;
}

/** The files and the network of a program without namespaces. */
export interface NamedPlace {
  readonly door: NamedDoor;
  /** Root starts it: the user that it becomes. Undefined: it stays who it is. */
  readonly plain: { readonly uid: number; readonly gid: number } | undefined;
  readonly folder: string;
  readonly cwd: string;
  /** Folders of programs, without a link. */
  readonly programs: readonly string[];
  readonly read: readonly string[];
  readonly write: readonly string[];
  /** A folder that no world sees. */
  readonly scratch: string;
  readonly bounds: Pick<WorldBounds, 'resources' | 'groups'>;
}

const PERL = '/usr/bin/perl';
const NAMED = fileURLToPath(new URL('./named.pl', import.meta.url));
const FIRST_FILE = 3;
/** The world's own folders stand here, and not where a repository's variable says. */
const OWN_FOLDERS = '/tmp';
/** Devices that programs open themselves. Terminals of others are not among them. */
const DEVICES = ['/dev/null', '/dev/zero', '/dev/full', '/dev/random', '/dev/urandom', '/dev/tty'];

/**
 * Prepares the start of a program in a world without namespaces. `HOME` and `TMPDIR` are folders of its own,
 * which go with it. Throws `not_available` for an unknown processor, and `usage` for a path that is to be
 * read alone and stands where the world may write: Landlock narrows nothing.
 */
export function launchNamed(program: WorldProgram, place: NamedPlace): Launch {
  const [calls, named] = [systemCallsOf(process.arch), namedCallsOf(process.arch)];
  if (calls === undefined || named === undefined)
    throw new SublError('not_available', `there is no world for \`${process.arch}\` yet`);
  const writable = [place.folder, ...place.write];
  const wide = place.read.find((path) => writable.some((folder) => isWithin(path, folder)));
  if (wide !== undefined)
    throw new SublError('usage', `\`${wide}\` stands where a world may write, and cannot be read alone`, {
      help: 'a world without namespaces cannot hold that: leave `--read` out, or move the file',
    });
  const files = new Files(place.scratch);
  const own = mkdtempSync(join(OWN_FOLDERS, 'sub-world-'));
  try {
    const [home, tmp] = [join(own, 'home'), join(own, 'tmp')];
    for (const folder of [home, tmp]) mkdirSync(folder, { mode: 0o700 });
    const { plain, door } = place;
    if (plain !== undefined) for (const path of [home, tmp, own]) chownSync(path, plain.uid, plain.gid);
    const env = { ...program.env, HOME: home, TMPDIR: tmp, RES_OPTIONS: 'use-vc' };
    const words: readonly (readonly [string, string | number])[] = [
      ['port', door.port],
      ['token', door.token],
      ['proof', door.proof],
      ...(plain === undefined ? [] : [['user', `${plain.uid}:${plain.gid}`] as const]),
      ['scratch', own],
      ['cwd', place.cwd],
      ['connect', named.connect],
      ...named.changes.map((change) => ['change', wordsOf(change)] as const),
      ['filter', namedFilter(calls, named).toString('hex')],
      ...[...systemFolders(), ...place.programs, ...place.read].map((path) => ['read', path] as const),
      ...looked().map((path) => ['look', path] as const),
      ...DEVICES.filter((path) => existsSync(path)).map((path) => ['device', path] as const),
      ...[...writable, own].map((path) => ['write', path] as const),
      ...place.bounds.resources.map((limit) => ['limit', limit] as const),
      ...place.bounds.groups.map((group) => ['group', group] as const),
      ...Object.entries(env).map(([name, value]) => ['env', `${name}=${value}`] as const),
    ];
    const options = files.add(words.map(([name, value]) => `${name}\0${value}\0`).join(''));
    const line = FIRST_FILE + files.count;
    const signals = program.signals.map((name) => name.slice(3)).join(',') || '-';
    return {
      command: PERL,
      args: [NAMED, options, String(line), signals, ...program.command],
      env: {},
      files: files.open,
      signalled: (child) => child,
      release: () => files.close(),
    };
  } catch (error) {
    files.close();
    rmSync(own, { recursive: true });
    throw error;
  }
}

function wordsOf({ number, kind, folder, path, value, flags }: PathCall): string {
  return [number, kind, folder ?? '-', path, value, flags ?? '-'].join(' ');
}

/** Paths that are read and not run: processes, and the file of name servers if /etc has it from elsewhere. */
function looked(): string[] {
  const names = '/etc/resolv.conf';
  return ['/proc', ...(existsSync(names) ? [realpathSync(names)] : [])];
}
