import { closeSync, fstatSync, openSync, readFileSync, realpathSync, type Stats } from 'node:fs';
import { SublError } from '@subluminal/core-types';
import { whyOf } from '../output/system-error.js';
import { replaceFile } from './replace.js';

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
  let isDone: boolean;
  try {
    isDone = replaceFile(path, `${path}.${pid}.new`, {
      bytes: Buffer.from(text),
      mode: stats.mode,
      owner: stats,
      mayReplace: () => readFileSync(path).equals(bytes),
    });
  } catch (cause) {
    throw new SublError('failed', `\`${path}\` cannot be replaced: ${whyOf(cause)}`, {
      cause,
      help: 'it is as it was; see that you can write to its folder',
    });
  }
  if (isDone) return;
  throw new SublError('failed', `\`${path}\` was changed meanwhile, so nothing was written`, {
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
