import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { MAX_SECRET_BYTES, SublError } from '@subluminal/core-types';

/**
 * The secret in a file, without the line feed at its end. It is a regular file of ours that nobody else can
 * read, or one of root that others cannot write (as orchestrators mount them); links are followed, nothing is
 * waited for.
 *
 * @throws SublError `secret_missing`.
 */
export function readSecretFile(path: string): string {
  const bytes = readBounded(path);
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw cannot(path, 'is not utf-8', cause);
  }
  return text.replace(/\r?\n$/, '');
}

function readBounded(path: string): Buffer {
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (cause) {
    const missing = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT';
    throw cannot(path, missing ? 'does not exist' : 'cannot be read', cause);
  }
  try {
    assertPrivate(path, fstatSync(file));
    const bytes = Buffer.alloc(MAX_SECRET_BYTES + 3);
    let length = 0;
    let read: number;
    do {
      read = readSync(file, bytes, length, bytes.length - length, null);
      length += read;
    } while (read > 0);
    if (length === bytes.length) throw cannot(path, `is larger than ${MAX_SECRET_BYTES} bytes`);
    return bytes.subarray(0, length);
  } finally {
    closeSync(file);
  }
}

function assertPrivate(
  path: string,
  stats: { readonly uid: number; readonly mode: number; isFile(): boolean },
): void {
  if (!stats.isFile()) throw cannot(path, 'is not a regular file');
  const uid = process.getuid?.();
  if (uid === undefined) return;
  const isOurs = stats.uid === uid;
  if (!isOurs && stats.uid !== 0) throw cannot(path, 'belongs to another user');
  if ((stats.mode & 0o022) !== 0) throw cannot(path, 'can be written by others');
  if (isOurs && uid !== 0 && (stats.mode & 0o077) !== 0)
    throw cannot(path, `can be read by others (\`chmod 600 ${path}\`)`);
}

function cannot(path: string, what: string, cause?: unknown): SublError {
  return new SublError('secret_missing', `the file of a secret \`${path}\` ${what}`, {
    help: 'it has to be a file of your own that nobody else can read, with the value and nothing else',
    cause,
  });
}
