import { randomBytes } from 'node:crypto';
import { linkSync, readFileSync, renameSync, unlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type ProcessIdentity, SublError } from '@subluminal/core-types';
import { isAlive } from '@subluminal/ipc';

const POLL_MS = 20;
/** How long a file may be there that names no process: it was cut off by a crash, since it appears whole. */
const BROKEN_MS = 1000;

export interface LockOptions {
  readonly path: string;
  /** The process that takes the lock: it counts as free when that process is gone. */
  readonly me: ProcessIdentity;
  readonly timeoutMs: number;
  /** Asked between attempts; true gives up waiting, because what the lock guards is done. */
  readonly done?: () => boolean;
}

/**
 * Takes a lock that a file stands for, and gives the function that frees it; undefined when `done` said so
 * first. Throws `timed_out`. A lock whose holder is gone is taken over. The lock saves work; it is not what
 * makes the guarded thing happen once, which is the exclusive creation of a ticket or a socket.
 */
export async function takeLock(options: LockOptions): Promise<(() => void) | undefined> {
  const deadline = performance.now() + options.timeoutMs;
  let brokenSince: number | undefined;
  for (;;) {
    if (options.done?.() === true) return undefined;
    if (tryLock(options.path, options.me)) return () => release(options);
    const holder = holderOf(options.path);
    brokenSince = holder === 'nobody' ? (brokenSince ?? performance.now()) : undefined;
    if (isStale(holder) || (brokenSince !== undefined && performance.now() - brokenSince > BROKEN_MS))
      removeStale(options.path);
    if (performance.now() > deadline) {
      throw new SublError('timed_out', `another process has held \`${options.path}\` for too long`, {
        help: 'end that process, or remove the file if there is none',
      });
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/**
 * Where its folder was removed meanwhile there is nothing to free, and one that stands there is another's.
 */
function release({ path, me }: LockOptions): void {
  const holder = holderOf(path);
  if (typeof holder === 'object' && holder.pid === me.pid && holder.start === me.start) unlinkSync(path);
}

/** The file appears with its content or not at all. */
function tryLock(path: string, me: ProcessIdentity): boolean {
  const temporary = join(dirname(path), `.${randomBytes(12).toString('hex')}`);
  writeFileSync(temporary, JSON.stringify(me), { mode: 0o600, flag: 'wx', flush: true });
  try {
    linkSync(temporary, path);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  } finally {
    unlinkSync(temporary);
  }
}

/** The process that a lock's file names, `nobody` where it names none; undefined where it is gone. */
type Holder = ProcessIdentity | 'nobody' | undefined;

function isStale(holder: Holder): boolean {
  return typeof holder === 'object' && !isAlive(holder);
}

function removeStale(path: string): void {
  const aside = join(dirname(path), `.${randomBytes(12).toString('hex')}`);
  try {
    renameSync(path, aside);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return;
    throw error;
  }
  // Between the look and the rename another process may have taken over: then its lock is put back.
  const moved = holderOf(aside);
  if (typeof moved === 'object' && isAlive(moved)) putBack(aside, path);
  unlinkSync(aside);
}

function putBack(aside: string, path: string): void {
  try {
    linkSync(aside, path);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  }
}

function holderOf(path: string): Holder {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
  const { pid, start } = fieldsOf(text);
  return typeof pid === 'number' && typeof start === 'string' ? { pid, start } : 'nobody';
}

function fieldsOf(text: string): { readonly pid?: unknown; readonly start?: unknown } {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
