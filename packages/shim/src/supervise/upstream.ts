import { type ChildProcess, spawn } from 'node:child_process';
import { Duplex, type Readable, type Writable } from 'node:stream';
import { type ProcessIdentity, SublError } from '@subluminal/core-types';
import { familyOf } from '@subluminal/ipc';

/** How a process ended. */
export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface UpstreamOptions {
  readonly command: readonly [string, ...string[]];
  /** Holds the token, or has it put where the server itself starts. */
  readonly env: NodeJS.ProcessEnv;
  /** The folder that it starts in; undefined: ours. */
  readonly cwd: string | undefined;
  /** Put into the environment of everything that the upstream starts, so that it can be found again. */
  readonly token: string;
  /** True: its standard error is ours to pass on. Else it goes where ours goes. */
  readonly readsErrors: boolean;
  /** Files of a server in a world. */
  readonly files?: readonly number[] | undefined;
  /** The server has its files. */
  readonly release?: () => void;
  /** Takes the line of a server in a world, and the process that was spawned for that. */
  readonly onLine?: (line: Duplex, world: number) => void;
}

/**
 * Starts an MCP server in a process group of its own, with its stderr on ours or as a stream.
 * `upstream_failed` when it cannot be started. The caller has told the gateway of the token before: whatever
 * happens to this process then, the gateway knows what to end.
 */
export function startUpstream(options: UpstreamOptions): Promise<Upstream> {
  const [command, ...args] = options.command;
  const child = spawn(command, args, {
    stdio: ['pipe', 'pipe', options.readsErrors ? 'pipe' : 'inherit', ...worldFiles(options)],
    env: options.env,
    cwd: options.cwd,
    detached: true,
  });
  options.release?.();
  // A world that ends breaks its pipe off.
  for (const pipe of child.stdio.slice(3)) pipe?.on('error', () => undefined);
  const line = child.stdio.at(-1);
  if (options.files !== undefined && line instanceof Duplex && child.pid !== undefined)
    options.onLine?.(line, child.pid);
  return new Promise((resolve, reject) => {
    child.once('error', (cause) => reject(notStarted(command, cause)));
    child.once('spawn', () => {
      const { pid, stdin, stdout } = child;
      if (pid === undefined || stdin === null || stdout === null) reject(notStarted(command, undefined));
      else resolve(new Upstream(child, { pid, stdin, stdout, stderr: child.stderr }, options.token));
    });
  });
}

/** A world ends with the pipe behind its files. */
function worldFiles({ files }: UpstreamOptions): readonly (number | 'pipe')[] {
  return files === undefined ? [] : [...files, 'pipe'];
}

/** A child that was spawned. */
interface Spawned {
  readonly pid: number;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable | null;
}

/** A running MCP server and all that it started. */
export class Upstream {
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** Null where it goes where ours goes. */
  readonly stderr: Readable | null;
  /** Resolves when the server itself has ended; what it started may still run. */
  readonly exited: Promise<Exit>;
  readonly #pid: number;
  readonly #token: string;

  constructor(child: ChildProcess, spawned: Spawned, token: string) {
    this.stdin = spawned.stdin;
    this.stdout = spawned.stdout;
    this.stderr = spawned.stderr;
    this.#pid = spawned.pid;
    this.#token = token;
    this.exited = new Promise((resolve) => {
      child.once('exit', (code, signal) => resolve({ code, signal }));
    });
    // After the start, `error` only repeats what `exit` tells.
    child.on('error', () => undefined);
  }

  /** Sends a signal to the whole group. Nothing happens when it is empty. */
  signalGroup(signal: NodeJS.Signals): void {
    send(process.platform === 'win32' ? this.#pid : -this.#pid, signal);
  }

  /** The processes that still run of the group, and of those that carry the token. */
  remaining(): ProcessIdentity[] {
    return familyOf({ group: this.#pid, token: this.#token });
  }

  /** Sends a signal to the group and to whatever left it. */
  signalAll(signal: NodeJS.Signals): void {
    this.signalGroup(signal);
    for (const { pid } of this.remaining()) send(pid, signal);
  }
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    // ESRCH: it has ended. EPERM: all that is left of a group are zombies (some systems), or it changed its
    // user.
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code !== 'ESRCH' && code !== 'EPERM') throw error;
  }
}

function notStarted(command: string, cause: Error | undefined): SublError {
  const missing = cause !== undefined && 'code' in cause && cause.code === 'ENOENT';
  const what = missing
    ? 'was not found'
    : `cannot be started${cause === undefined ? '' : ` (${cause.message})`}`;
  return new SublError('upstream_failed', `the MCP server \`${command}\` ${what}`, {
    help: missing ? 'check the name, or give its whole path' : 'check that it is a program you may run',
    ...(cause === undefined ? {} : { cause }),
  });
}
