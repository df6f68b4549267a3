import { type ChildProcess, spawn } from 'node:child_process';
import { Readable, Writable } from 'node:stream';
import { SublError } from '@subluminal/core-types';
import {
  attachCommand,
  endCommand,
  type Attached,
  readAttached,
  wordsOfProgram,
  type WorldView,
} from '@subluminal/worlds';
import { ensureGateway } from '../../gateway/start.js';
import type { Call } from '../../program/call.js';
import { forwardSignals } from '../../run/signals.js';
import { sessionPlace } from './place.js';

/** A program that is to run in the world of a folder. */
export interface BroughtProgram {
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** How often a world is made, where the one that was there has just ended. */
const ATTEMPTS = 3;
const MAX_TOLD = 65_536;

/** The fate of a program that was to run: as its world tells it, or called off before it began. */
export type Brought =
  | Exclude<Attached, { readonly kind: 'absent' }>
  | { readonly kind: 'called_off'; readonly signal: NodeJS.Signals };

/**
 * Runs the program in the world that shows this, with our own descriptors or, on a terminal, with one of the
 * world. Makes the world where there is none. Errors: those that the making of a world ends with.
 */
export async function bringProgram(call: Call, view: WorldView, program: BroughtProgram): Promise<Brought> {
  const { door } = sessionPlace(call.home, view);
  await ensureGateway(call, 'automatic');
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const { attached, signal } = await attach(door, { ...program, folder: view.cwd });
    // A world that ended before the program began is none: it was the world of a gateway that is gone.
    const hasBegun = attached.kind === 'ended' || (attached.kind === 'broken_off' && attached.told !== '');
    if (signal !== undefined && !hasBegun) return { kind: 'called_off', signal };
    if (hasBegun || attached.kind === 'refused') return attached;
    await startWorld(call, view);
  }
  throw new SublError('failed', 'the world of this folder ends as soon as it is made', {
    help: '`sub world exec --fresh` gives the command a world of its own',
  });
}

/** `signal`: the first that asked for the end of it. */
function attach(
  door: string,
  program: BroughtProgram & { readonly folder: string },
): Promise<{ readonly attached: Attached; readonly signal: NodeJS.Signals | undefined }> {
  const onTerminal = process.stdin.isTTY && process.stdout.isTTY;
  const { command, args } = attachCommand(door, process.pid, onTerminal);
  return new Promise((resolve, reject) => {
    // Its own environment is empty: a variable of the program's must change nothing out here.
    const child = spawn(command, args, { stdio: ['inherit', 'inherit', 'inherit', 'pipe', 'pipe'], env: {} });
    const told = readTold(child);
    let first: NodeJS.Signals | undefined;
    const release = forwardSignals(
      (signal) => void child.kill(signal),
      process.stdin.isTTY,
      (signal, isTyped) => {
        first ??= signal;
        // It came before there were two of us to send it to.
        if (isTyped && told() === '') child.kill(signal);
      },
    );
    child.once('error', reject);
    child.once('close', (_code, endedBy) => {
      // A terminal sends its signals to both of us, and the end of the other one may be heard of first.
      first ??= endedBy ?? undefined;
      setImmediate(() => {
        release();
        resolve({ attached: readAttached(told()), signal: first });
      });
    });
    const words = child.stdio[3];
    if (words instanceof Writable) {
      // Where nobody is there it is not read.
      words.on('error', () => undefined);
      words.end(wordsOfProgram(program));
    }
  });
}

/** So long the answer is waited for. */
const ANSWER_MS = 5000;

/** Asks at the door of a world that it ends, if nothing runs there. False: it goes on, or nobody said so. */
export function askToEnd(door: string): Promise<boolean> {
  const { command, args } = endCommand(door, process.pid);
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'], env: {} });
    const timer = setTimeout(() => child.kill('SIGKILL'), ANSWER_MS);
    const told = readTold(child);
    const words = child.stdio[3];
    if (words instanceof Writable) words.on('error', () => undefined).end();
    // Without the program that asks nobody is asked: the commit before it is done all the same.
    child.once('error', () => {
      clearTimeout(timer);
      resolve(false);
    });
    child.once('close', () => {
      clearTimeout(timer);
      resolve(readAttached(told()).kind === 'ended');
    });
  });
}

function readTold(child: ChildProcess): () => string {
  let text = '';
  const pipe = child.stdio[4];
  if (pipe instanceof Readable)
    pipe.setEncoding('utf8').on('data', (more: string) => {
      if (text.length < MAX_TOLD) text += more;
    });
  return () => text;
}

/** Starts the process that keeps the world, and waits until programs can be brought to it. */
export function startWorld(call: Call, { cwd, read, write, writesThrough }: WorldView): Promise<void> {
  const { environment, program } = call.session;
  const args = ['world', 'warm', '--stay', '--home', call.home.home];
  for (const path of read) args.push('--read', path);
  for (const path of write) args.push('--write', path);
  if (writesThrough) args.push('--write-through');
  const child = spawn(process.execPath, [program, ...args], {
    cwd,
    // A session of its own: it outlives the terminal.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: environment.all,
  });
  return new Promise((resolve, reject) => {
    let said = '';
    const done = (): void => {
      child.stdout.destroy();
      child.stderr.destroy();
      child.unref();
    };
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      if (said.length < MAX_TOLD) said += text;
    });
    child.stdout.once('data', () => {
      done();
      resolve();
    });
    child.once('error', reject);
    child.once('close', () => {
      const lines = said.trim().split('\n');
      const [, message] = lines.map((line) => /^error\[[a-z_]+\]: (.*)$/.exec(line)).find(Boolean) ?? [];
      reject(
        new SublError('failed', message ?? lines.at(-1) ?? 'the world ended at once', {
          help: '`sub world doctor` says what is missing',
        }),
      );
    });
  });
}
