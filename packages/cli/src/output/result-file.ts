import {
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fstatSync,
  ftruncateSync,
  lstatSync,
  openSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { resolve } from 'node:path';
import { SublError } from '@subluminal/core-types';
import type { Call } from '../program/call.js';
import { flag } from '../program/flags.js';
import { whyOf } from './system-error.js';

/** The flag of a verb that delivers. */
export const FORCE = flag('replace the file of `--out` where it exists');

type Delivering = Pick<
  Call<{ readonly out: string | undefined; readonly force: boolean }>,
  'flags' | 'output'
>;

/**
 * Refuses, before any work, an `--out` that would replace a file, unless `--force` is given. A file that its
 * owner alone may read (`isPrivate`) is no pipe, device or link either: somebody else may be at the other
 * end. Throws `usage`.
 */
export function assertDeliverable(call: Delivering, isPrivate = false): void {
  const out = call.flags.out;
  if (out === undefined) return;
  const path = resolve(out);
  if (isPrivate) assertPlain(path);
  if (call.flags.force) return;
  // A place that cannot be looked at is told of by whoever writes there.
  if (existsSync(path) && !isOther(path)) throw exists(path);
}

/**
 * Writes a text to the file that `--out` names; to stdout, byte for byte, without one. A file that exists is
 * replaced only with `--force`. One with a `mode` is private, as `assertDeliverable` has it. Throws `failed`,
 * `usage`.
 */
export function deliver(call: Delivering, text: string, mode?: number): string | null {
  const out = call.flags.out;
  if (out === undefined) {
    if (!call.output.json) call.output.raw(text);
    return null;
  }
  const path = resolve(out);
  try {
    if (mode !== undefined) writePrivate(path, text, mode, call.flags.force);
    // A terminal or a pipe keeps nothing that could be lost.
    else writeFileSync(path, text, { flag: call.flags.force || isOther(path) ? 'w' : 'wx' });
    return path;
  } catch (cause) {
    if (cause instanceof SublError) throw cause;
    if (Reflect.get(Object(cause), 'code') === 'EEXIST') throw exists(path, cause);
    throw new SublError('failed', `\`${path}\` cannot be written: ${whyOf(cause)}`, {
      cause,
      help: 'name a file in a folder that you can write',
    });
  }
}

/** A file that is replaced keeps its mode: it is closed to others before anything is in it. */
function writePrivate(path: string, text: string, mode: number, isForced: boolean): void {
  assertPlain(path);
  const { O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_WRONLY } = constants;
  const flags = O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | (isForced ? 0 : O_EXCL);
  const file = openSync(path, flags, mode);
  try {
    // It may have become another since it was looked at.
    if (!fstatSync(file).isFile()) throw notPlain(path, 'no file');
    fchmodSync(file, mode);
    ftruncateSync(file);
    writeFileSync(file, text);
  } finally {
    closeSync(file);
  }
}

/** Throws `usage` for what exists and is no file. */
function assertPlain(path: string): void {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined || stats.isFile()) return;
  if (stats.isSymbolicLink()) throw notPlain(path, 'a link');
  if (stats.isDirectory()) throw notPlain(path, 'a folder');
  throw notPlain(path, stats.isFIFO() || stats.isSocket() ? 'a pipe' : 'a device');
}

function notPlain(path: string, what: string): SublError {
  return new SublError('usage', `\`${path}\` is ${what}: nothing was written`, {
    help: 'name a file that does not exist yet',
  });
}

function isOther(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === false;
}

function exists(path: string, cause?: unknown): SublError {
  return new SublError('usage', `\`${path}\` exists`, {
    cause,
    help: 'name a file that does not exist yet, or replace this one with `--force`',
  });
}
