import { type ChildProcess, spawn } from 'node:child_process';
import { Duplex } from 'node:stream';
import { type ErrorCode, nextTurn, SublError } from '@subluminal/core-types';
import { hasCode } from '@subluminal/ipc';
import type { ChildEnd } from './outcome.js';
import { forwardSignals } from './signals.js';

/** The command of a run, and around it. */
export interface ChildOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** stdin is a terminal, which delivers Ctrl-C to the child itself; handing it on would press it twice. */
  readonly onTerminal: boolean;
  /** stdout is not the command's: what it writes there goes to stderr. */
  readonly stdoutToStderr?: boolean;
  /** Files of a command in a world, behind which it has its line. */
  readonly files?: readonly number[] | undefined;
  /** The process to which signals are sent, by the child's number; undefined as long as there is none. */
  readonly signalled?: (child: number) => number | undefined;
  /** The child has its files. */
  readonly release?: () => void;
  /** Takes the line of a command in a world, and the process that was spawned for that. */
  readonly onLine?: (line: Duplex, world: number) => void;
}

/** A world is put together within a few of these. */
const LOOK_MS = 10;

/** How the child ended, and the first signal that asked for it. */
export interface ChildResult extends ChildEnd {
  readonly received: NodeJS.Signals | undefined;
}

/** The command was not started; `exit` is what a shell would answer. */
export class NotStarted extends SublError {
  readonly exit: 126 | 127;

  constructor(
    exit: 126 | 127,
    code: ErrorCode,
    message: string,
    options: { readonly help?: string; readonly cause?: unknown } = {},
  ) {
    super(code, message, options);
    this.exit = exit;
  }
}

function notStarted(command: string, cause: NodeJS.ErrnoException): NotStarted {
  return cause.code === 'ENOENT'
    ? new NotStarted(127, 'failed', `\`${command}\` was not found`, {
        cause,
        help: 'check the name, or give its whole path',
      })
    : new NotStarted(126, 'failed', `\`${command}\` cannot be started (${cause.code ?? ''})`, {
        cause,
        help: 'check that the file is a program you may run',
      });
}

/**
 * Runs the command with our stdin, stdout and stderr until it ends, handing signals on meanwhile. Rejects
 * with `NotStarted`.
 */
export function runChild(options: ChildOptions): Promise<ChildResult> {
  return new Promise((resolve, reject) => {
    let received: NodeJS.Signals | undefined;
    let target: (signal: NodeJS.Signals) => void = () => undefined;
    let callOff: (signal: NodeJS.Signals, isTyped: boolean) => void = () => undefined;
    let calledOff: NodeJS.Signals | undefined;
    // Before the command: it may be answered with a signal to its first word.
    const release = forwardSignals(
      (signal) => target(signal),
      options.onTerminal,
      (signal, isTyped) => {
        received ??= signal;
        callOff(signal, isTyped);
      },
    );
    const child = spawn(options.command, options.args, {
      stdio: ['inherit', options.stdoutToStderr === true ? 2 : 'inherit', 'inherit', ...worldFiles(options)],
      env: options.env,
    });
    options.release?.();
    // A world that ends breaks its pipes off.
    for (const pipe of child.stdio.slice(3)) pipe?.on('error', () => undefined);
    const line = child.stdio.at(-1);
    const { pid } = child;
    if (options.files !== undefined && line instanceof Duplex && pid !== undefined) {
      options.onLine?.(line, pid);
      // A terminal's signal reaches nobody there while the world is put together. Without its line a world
      // runs nothing. Its first word on it comes as the command starts. The turn behind it may still tell of
      // a signal that came before.
      let isUp = false;
      line.once('data', () => void nextTurn().then(() => (isUp = true)));
      callOff = (signal, isTyped) => {
        if (!isTyped || isUp) return;
        calledOff ??= signal;
        line.destroy();
      };
    }
    target = targetOf(child, options.signalled ?? ((own) => own));
    child.on('error', (cause) => {
      // After a start, `error` tells of a signal that could not be sent: the child has just ended and `exit`
      // follows.
      if (child.pid !== undefined) return;
      release();
      reject(notStarted(options.command, cause));
    });
    child.once('exit', (code, signal) => {
      release();
      resolve(
        calledOff === undefined ? { code, signal, received } : { code: null, signal: calledOff, received },
      );
    });
  });
}

function worldFiles({ files }: ChildOptions): readonly (number | 'pipe')[] {
  return files === undefined ? [] : [...files, 'pipe'];
}

/** Sends signals to the command, one after the other: in a world once there is whoever hands them on. */
function targetOf(
  child: ChildProcess,
  signalled: (child: number) => number | undefined,
): (signal: NodeJS.Signals) => void {
  let sent: Promise<void> = Promise.resolve();
  const sendSoon = async (signal: NodeJS.Signals): Promise<void> => {
    while (child.pid !== undefined && child.exitCode === null && child.signalCode === null) {
      const pid = signalled(child.pid);
      // A signal that the child may not be sent, as one of another user's, is an `error` of its own.
      if (pid === child.pid) return void child.kill(signal);
      if (pid !== undefined) return send(pid, signal);
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
  };
  return (signal) => {
    sent = sent.then(() => sendSoon(signal));
  };
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    // It has ended, and its end is on the way to us; or its number is another user's by now.
    if (!hasCode(error, 'ESRCH') && !hasCode(error, 'EPERM')) throw error;
  }
}
