import {
  accessSync,
  closeSync,
  constants,
  fstatSync,
  openSync,
  readFileSync,
  realpathSync,
  statSync,
  type Stats,
} from 'node:fs';
import { dirname } from 'node:path';
import { sha256Hex, SublError } from '@subluminal/core-types';
import { isMissing } from '@subluminal/ipc';
import { whyOf } from '../../output/system-error.js';

/** Larger configurations are not read. */
const MAX_BYTES = 64 * 1024 * 1024;

/** A configuration as it was when it was read. */
export interface FileState {
  /** As it was named. */
  readonly path: string;
  /** Of the file itself, where links were followed. */
  readonly real: string;
  readonly text: string;
  readonly bytes: Buffer;
  /** The SHA-256 of the bytes, in hex. */
  readonly hash: string;
  readonly stats: Stats;
}

/**
 * Reads a file through its links; undefined where there is none. Throws `failed`: it cannot be read, or is no
 * text.
 */
export function readState(path: string): FileState | undefined {
  let file: number | undefined;
  try {
    const real = realpathSync(path);
    // A pipe would be waited for.
    if (!statSync(real).isFile()) throw unusable(path, 'it is no file');
    file = openSync(real, 'r');
    const stats = fstatSync(file);
    if (stats.size > MAX_BYTES) throw unusable(path, `it has more than ${MAX_BYTES} bytes`);
    const bytes = readFileSync(file);
    return { path, real, text: decoded(path, bytes), bytes, hash: sha256Hex(bytes), stats };
  } catch (error) {
    if (isMissing(error)) return undefined;
    if (error instanceof SublError) throw error;
    throw unusable(path, whyOf(error), error);
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/**
 * Throws `failed` where the file, or its folder, is not to be written: a file that is read-only was made so.
 */
export function assertReplaceable({ path, real, stats }: FileState): void {
  if ((stats.mode & 0o222) === 0) throw readOnly(path, 'it is read-only');
  if (stats.nlink > 1)
    throw readOnly(path, 'it has further names (hard links), which would keep the old text');
  for (const one of [real, dirname(real)]) {
    try {
      accessSync(one, constants.W_OK);
    } catch (error) {
      throw readOnly(path, one === real ? whyOf(error) : `its folder \`${one}\`: ${whyOf(error)}`, error);
    }
  }
}

function unusable(path: string, why: string, cause?: unknown): SublError {
  return new SublError('failed', `\`${path}\` cannot be read: ${why}`, {
    ...(cause === undefined ? {} : { cause }),
    help: 'mend it there, then try again',
  });
}

function readOnly(path: string, why: string, cause?: unknown): SublError {
  return new SublError('failed', `\`${path}\` cannot be replaced: ${why}`, {
    ...(cause === undefined ? {} : { cause }),
    help: 'nothing was changed; make it writable, then try again',
  });
}

function decoded(path: string, bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw unusable(path, 'it is not utf-8', cause);
  }
}
