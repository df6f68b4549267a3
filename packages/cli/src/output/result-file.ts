import { chmodSync, existsSync, statSync, writeFileSync } from 'node:fs';
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
 * Refuses, before any work, an `--out` that would replace a file, unless `--force` is given. Throws `usage`.
 */
export function assertDeliverable(call: Delivering): void {
  const out = call.flags.out;
  if (out === undefined || call.flags.force) return;
  const path = resolve(out);
  // A place that cannot be looked at is told of by whoever writes there.
  if (existsSync(path) && !isOther(path)) throw exists(path);
}

/**
 * Writes a text to the file that `--out` names; to stdout, byte for byte, without one. A file that exists is
 * replaced only with `--force`, and then has that `mode`, too. Throws `failed`, `usage`.
 */
export function deliver(call: Delivering, text: string, mode?: number): string | null {
  const out = call.flags.out;
  if (out === undefined) {
    if (!call.output.json) call.output.raw(text);
    return null;
  }
  const path = resolve(out);
  try {
    // A terminal or a pipe keeps nothing that could be lost.
    const mayReplace = call.flags.force || isOther(path);
    // A file that is replaced keeps its mode: it is closed to others before anything is in it.
    if (mode !== undefined && call.flags.force && existsSync(path) && !isOther(path)) chmodSync(path, mode);
    writeFileSync(path, text, { flag: mayReplace ? 'w' : 'wx', ...(mode === undefined ? {} : { mode }) });
    return path;
  } catch (cause) {
    if (Reflect.get(Object(cause), 'code') === 'EEXIST') throw exists(path, cause);
    throw new SublError('failed', `\`${path}\` cannot be written: ${whyOf(cause)}`, {
      cause,
      help: 'name a file in a folder that you can write',
    });
  }
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
