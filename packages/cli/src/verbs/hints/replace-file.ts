import {
  closeSync,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
  type Stats,
} from 'node:fs';
import { dirname } from 'node:path';
import { SublError } from '@subluminal/core-types';
import { whyOf } from '../../output/system-error.js';

/** A text file as it was when it was read. */
export interface FileText {
  /** Of the file itself, where a link was named. */
  readonly path: string;
  readonly text: string;
  readonly bytes: Buffer;
  readonly stats: Stats;
}

/** Reads a text file that is to be replaced. Throws `policy_missing`, `policy_invalid` (not UTF-8). */
export function readFileText(named: string): FileText {
  let file: number | undefined;
  try {
    const path = realpathSync(named);
    file = openSync(path, 'r');
    const stats = fstatSync(file);
    const bytes = readFileSync(file);
    return { path, text: decoded(named, bytes), bytes, stats };
  } catch (cause) {
    if (cause instanceof SublError) throw cause;
    throw new SublError('policy_missing', `\`${named}\` cannot be read: ${whyOf(cause)}`, {
      cause,
      help: 'name the policy file with `--file`',
    });
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/**
 * Puts a text in the place of a file in one step, with the file's owner and permissions: a reader has the one
 * or the other. Nothing is written where the file is not as it was read, byte for byte. Throws `failed`.
 */
export function replaceFileText(before: FileText, text: string, pid: number): void {
  const { path, stats, bytes } = before;
  const draft = `${path}.${pid}.new`;
  let isDraft = false;
  let file: number | undefined;
  try {
    file = openSync(draft, 'wx', 0o600);
    isDraft = true;
    writeFileSync(file, text);
    const { uid, gid } = fstatSync(file);
    if (uid !== stats.uid || gid !== stats.gid) fchownSync(file, stats.uid, stats.gid);
    fchmodSync(file, stats.mode & 0o7777);
    fsyncSync(file);
    closeSync(file);
    file = undefined;
    if (!readFileSync(path).equals(bytes)) throw changed(path);
    renameSync(draft, path);
    isDraft = false;
    syncFolder(dirname(path));
  } catch (cause) {
    if (cause instanceof SublError) throw cause;
    throw new SublError('failed', `\`${path}\` cannot be replaced: ${whyOf(cause)}`, {
      cause,
      help: 'it is as it was; see that you can write to its folder',
    });
  } finally {
    if (file !== undefined) closeSync(file);
    if (isDraft) rmSync(draft, { force: true });
  }
}

function changed(path: string): SublError {
  return new SublError('failed', `\`${path}\` was changed meanwhile, so nothing was written`, {
    help: 'run the same command again: it shows the difference anew',
  });
}

function decoded(path: string, bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new SublError('policy_invalid', `\`${path}\` is not utf-8`, {
      cause,
      help: 'save it as utf-8',
    });
  }
}

/** Names that were changed in a folder survive the machine. */
export function syncFolder(path: string): void {
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
