import { closeSync, constants, existsSync, fstatSync, openSync, readSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { MAX_RUN_POLICY_CHARS, PROJECT_FILE, SublError } from '@subluminal/core-types';
import { whyOf } from '../../output/system-error.js';

/** Four bytes a character of the longest policy. */
const MAX_BYTES = 1_048_576;

/**
 * The path of a project's policy, without links of folders: of the file or folder that was named, else the
 * nearest above `cwd`.
 *
 * @throws SublError `not_found` if nothing was named, and there is none.
 */
export function projectFile(given: string | undefined, cwd: string): string {
  if (given !== undefined) {
    const path = resolve(cwd, given);
    return basename(path) === PROJECT_FILE ? fileIn(dirname(path)) : fileIn(path);
  }
  for (let at = cwd; ; at = dirname(at)) {
    if (existsSync(join(at, PROJECT_FILE))) return fileIn(at);
    if (at === dirname(at)) break;
  }
  throw new SublError('not_found', `there is no \`${PROJECT_FILE}\` in this folder or above it`, {
    help: 'name the folder that has one',
  });
}

/** The text of a project's policy. No link is followed. @throws SublError `policy_missing` */
export function readProjectFile(file: string): string {
  try {
    const text = textOf(file);
    if (text.length > MAX_RUN_POLICY_CHARS)
      throw new Error(`it has more than ${MAX_RUN_POLICY_CHARS} characters`);
    return text;
  } catch (cause) {
    throw new SublError('policy_missing', `\`${file}\` cannot be read: ${whyOf(cause)}`, {
      cause,
      help: 'a text that was trusted before stays in force',
    });
  }
}

/** A folder that is gone is meant as it is written. */
function fileIn(folder: string): string {
  try {
    return join(realpathSync(folder), PROJECT_FILE);
  } catch {
    return join(folder, PROJECT_FILE);
  }
}

function textOf(path: string): string {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  const file = openSync(path, O_RDONLY | (O_NOFOLLOW ?? 0) | (O_NONBLOCK ?? 0));
  try {
    if (!fstatSync(file).isFile()) throw new Error('it is not a regular file');
    const bytes = Buffer.alloc(MAX_BYTES + 1);
    let length = 0;
    for (let read = -1; read !== 0; length += read)
      read = readSync(file, bytes, length, bytes.length - length, null);
    if (length > MAX_BYTES) throw new Error(`it is larger than ${MAX_BYTES} bytes`);
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes.subarray(0, length));
  } finally {
    closeSync(file);
  }
}
