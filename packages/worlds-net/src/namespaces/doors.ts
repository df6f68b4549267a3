import { type ChildProcess, spawn } from 'node:child_process';
import { type ProcessIdentity, SublError } from '@subluminal/core-types';
import { processIdentity } from '@subluminal/ipc';
import { Socket } from 'node:dgram';
import { Server } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { Doors, KeptNetwork } from '../doors.js';
import { namespaceDoors, refuse } from './namespace-doors.js';

/** The helper stands beside this module, in the sources and where it is shipped. */
const PROGRAM = fileURLToPath(new URL('./namespaces.pl', import.meta.url));
/** Debian and its kin have it in every installation. */
const PERL = '/usr/bin/perl';
/** Where `ip` and `nft` are, as root and as anybody. */
const PATH = '/usr/sbin:/usr/bin:/sbin:/bin';

const READY_MS = 10_000;
const MAX_WORDS = 2000;

/**
 * Starts the helper and takes the two doors of its network. Throws `not_available`, with the helper's own
 * words, where this machine gives no such network.
 */
export function openDoors(): Promise<Doors> {
  return doorsBy([], (why) => [
    `this machine gives no world a network of its own: ${explained(why)}`,
    '`sub world doctor` says what is missing',
  ]);
}

/**
 * Makes new doors in the network that another gateway had, and that this process is in. Throws
 * `not_available`, with the helper's own words, if it is in another one, or has ended.
 */
export function takeOverDoors({ cookie }: KeptNetwork, inside: ProcessIdentity): Promise<Doors> {
  return doorsBy([String(inside.pid), inside.start, cookie], (why) => [
    `the network of the world cannot be served again: ${why}`,
    'end what runs there, and start it again',
  ]);
}

/** Says why there are no doors, and what to do. */
type Explains = (why: string) => readonly [message: string, help: string];

async function doorsBy(words: readonly string[], explains: Explains): Promise<Doors> {
  // Nothing of the gateway's environment: what the helper starts reads it.
  const child = spawn(PERL, [PROGRAM, ...words], {
    stdio: ['pipe', 'ignore', 'pipe', 'ipc'],
    env: { PATH },
    cwd: '/',
  });
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  const taken = new Taken();
  try {
    const cookie = await ready(child, taken, explains);
    const holder = child.pid === undefined ? undefined : processIdentity(child.pid);
    const { tcp, udp } = taken;
    if (holder === undefined || tcp === undefined || udp === undefined)
      throw new SublError('not_available', 'the helper of a world gave no doors');
    return namespaceDoors({
      holder,
      tcp,
      udp,
      kept: cookie === '' ? undefined : { cookie },
      ended,
      listen: (port) => listenInside(child, ended, port),
      close: () => {
        taken.close();
        end(child);
      },
    });
  } catch (error) {
    taken.close();
    end(child);
    throw error;
  }
}

/** The doors, as far as they have come. */
class Taken {
  tcp: Server | undefined;
  udp: Socket | undefined;

  take(handle: unknown): void {
    if (handle instanceof Server && this.tcp === undefined) {
      // Before anything of a connection is looked at.
      Object.assign(handle, { allowHalfOpen: true, pauseOnConnect: true, noDelay: true });
      handle.on('error', () => undefined);
      // Node accepts from now on, and nobody takes anything before `serve`: the programs of a world that had
      // another gateway connect already.
      handle.on('connection', refuse);
      this.tcp = handle;
    } else if (handle instanceof Socket && this.udp === undefined) {
      handle.on('error', () => undefined);
      this.udp = handle;
    }
  }

  close(): void {
    this.tcp?.close();
    this.tcp = undefined;
    this.udp?.close();
    this.udp = undefined;
  }
}

/** Gives the kernel's own number of the network; empty if it has none. */
function ready(child: ChildProcess, taken: Taken, explains: Explains): Promise<string> {
  return new Promise((resolve, reject) => {
    let words = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      if (words.length < MAX_WORDS) words += text;
    });
    const fail = (why: string): void => {
      clearTimeout(timer);
      const [message, help] = explains(why);
      reject(new SublError('not_available', message, { help }));
    };
    const timer = setTimeout(() => fail('the helper was not ready in time'), READY_MS);
    child.once('error', (error) => fail(error.message));
    // Not `exit`: its last words may come later.
    child.once('close', () => fail(words.trim().slice(0, 300) || 'the helper ended'));
    child.on('message', (message, handle) => {
      taken.take(handle);
      const cookie = cookieOf(message);
      if (cookie === undefined) return;
      clearTimeout(timer);
      resolve(cookie);
    });
  });
}

function listenInside(child: ChildProcess, ended: Promise<void>, port: number): Promise<Server> {
  return new Promise((resolve, reject) => {
    const fail = (): void => {
      clearTimeout(timer);
      reject(
        new SublError('not_available', `the gateway’s port ${port} cannot be opened in a world`, {
          help: 'choose another one: `[http] port` in config.toml',
        }),
      );
    };
    const timer = setTimeout(fail, READY_MS);
    void ended.then(fail);
    child.once('message', (_message, handle) => {
      clearTimeout(timer);
      if (handle instanceof Server) resolve(handle);
      else fail();
    });
    child.stdin?.on('error', fail).write(`listen ${port}\n`);
  });
}

/** The errors of the kernel that tell why there are no namespaces. */
function explained(why: string): string {
  if (!why.startsWith('unshare: ')) return why;
  if (why.includes('not permitted'))
    return `${why} (a filter of system calls, or a security module, denies namespaces)`;
  return why.includes('No space left')
    ? `${why} (\`sysctl user.max_user_namespaces\` lets no more be made)`
    : why;
}

/** Undefined before the helper is ready. */
function cookieOf(message: unknown): string | undefined {
  if (typeof message !== 'object' || message === null || !('door' in message)) return undefined;
  if (message.door !== 'ready' || !('cookie' in message)) return undefined;
  return typeof message.cookie === 'string' ? message.cookie : undefined;
}

function end(child: ChildProcess): void {
  child.stdin?.destroy();
  child.kill('SIGKILL');
}
