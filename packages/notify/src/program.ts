import { spawn } from 'node:child_process';
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { userInfo } from 'node:os';
import { dirname } from 'node:path';
import { SublError } from '@subluminal/core-types';

/** How one start of the operator's program ended. */
export interface ProgramEnd {
  readonly ok: boolean;
  /** Why not, with the beginning of what it wrote to stderr. */
  readonly why: string;
}

/** A start that is under way. */
export interface RunningProgram {
  readonly ended: Promise<ProgramEnd>;
  /** Ends it and all that it has started. */
  kill(): void;
}

/** Starts the program of `argv` with `input` on its standard input. */
export type StartProgram = (argv: readonly string[], input: string, timeoutMs: number) => RunningProgram;

const MAX_SAID = 512;
/** How long what a program wrote may take to arrive once it has ended. */
const LAST_WORDS_MS = 100;

/**
 * The only place where the gateway starts a process: the program of `[approvals] notify`, which the
 * operator's own file names, or the system's own that shows a message. No shell, nothing of our environment,
 * no descriptor but its own three. The operator's program reads what it is told on its standard input, since
 * arguments are seen by everybody. What it prints goes nowhere, but for the beginning of its complaint.
 *
 * @throws SublError `config_invalid` for a program that others could have put there, or that cannot be run.
 */
export const startProgram: StartProgram = (argv, input, timeoutMs) => {
  const [program = '', ...args] = argv;
  assertProgram(program);
  const child = spawn(program, args, {
    cwd: '/',
    // A group of its own: what it starts is ended with it.
    detached: true,
    env: environment(),
    shell: false,
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  const kill = (): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    } catch {
      // It is gone already; on Windows there are no groups.
      child.kill('SIGKILL');
    }
  };
  let said = '';
  let late = false;
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    if (said.length < MAX_SAID) said = (said + text).slice(0, MAX_SAID);
  });
  // A program that does not read what it is told breaks the pipe, and that is its own affair.
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  const timer = setTimeout(() => {
    late = true;
    kill();
  }, timeoutMs);
  const ended = new Promise<ProgramEnd>((resolve) => {
    const end = (ok: boolean, why: string): void => {
      clearTimeout(timer);
      resolve({ ok, why });
    };
    child.once('error', (error) => end(false, error.message));
    // What it left behind in a session of its own may hold its pipes for ever: nobody waits for that.
    child.once('exit', () => setTimeout(() => child.stderr.destroy(), LAST_WORDS_MS));
    child.once('close', (code, signal) => {
      const how = late ? `it took longer than ${timeoutMs} ms` : `it ended with ${signal ?? code}`;
      end(code === 0, said === '' ? how : `${how}: ${said}`);
    });
  });
  return { ended, kill };
};

/** Nobody but the operator and root may have written it, or be able to put another in its place. */
function assertProgram(program: string): void {
  const uid = typeof process.getuid === 'function' ? process.getuid() : undefined;
  try {
    const stats = statSync(program);
    if (!stats.isFile()) throw unfit(program, 'is not a file');
    accessSync(program, constants.X_OK);
    if (uid === undefined) return;
    const folder = statSync(dirname(program));
    for (const place of [stats, folder]) {
      // A folder such as /tmp, in which only its owner can replace a file, is sticky.
      const isSticky = place.isDirectory() && (place.mode & 0o1000) !== 0;
      if ((place.mode & 0o022) !== 0 && !isSticky) throw unfit(program, 'can be written by others');
      if (place.uid !== uid && place.uid !== 0) throw unfit(program, 'belongs to somebody else');
    }
  } catch (error) {
    if (error instanceof SublError) throw error;
    throw unfit(program, 'cannot be run', error);
  }
}

function unfit(program: string, why: string, cause?: unknown): SublError {
  return new SublError('config_invalid', `\`[approvals] notify\`: \`${program}\` ${why}`, { cause });
}

/** Fixed and short. What shows a message on a desktop finds its bus below the runtime folder of the user. */
function environment(): NodeJS.ProcessEnv {
  const { homedir, uid } = userInfo();
  if (process.platform === 'win32')
    return { PATH: 'C:\\Windows\\System32', SystemRoot: 'C:\\Windows', USERPROFILE: homedir };
  const runtime = `/run/user/${uid}`;
  return {
    PATH: '/usr/local/bin:/usr/bin:/bin',
    HOME: homedir,
    LANG: 'C.UTF-8',
    ...(existsSync(runtime) ? { XDG_RUNTIME_DIR: runtime } : {}),
  };
}
