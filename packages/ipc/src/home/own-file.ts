import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { assertOurs, hasCode, isMissing, unsafe } from './check.js';

/** The conditions under which a file is believed. */
export interface OwnFileRules {
  readonly maxBytes: number;
  /** Permission bits that it must not have: `0o022` when others may read it, `0o077` when they may not. */
  readonly forbidden: number;
}

/**
 * The text of a file that only our user can have written, undefined when it is not there. The open file is
 * checked, so nobody can put another in its place between the check and the reading; no link is followed and
 * no pipe waited for.
 *
 * @throws SublError `home_unsafe` for a link, for what is no regular file, is larger, is not UTF-8, cannot be
 * read, or is in reach of others.
 */
export function readOwnText(path: string, { maxBytes, forbidden }: OwnFileRules): string | undefined {
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    if (isMissing(error)) return undefined;
    if (hasCode(error, 'ELOOP')) throw unsafe(path, 'is a link', error);
    throw unsafe(path, 'cannot be read', error);
  }
  try {
    const stats = fstatSync(file);
    if (!stats.isFile()) throw unsafe(path, 'is not a regular file');
    assertOurs(path, stats, forbidden);
    return textOf(path, readAll(file, path, maxBytes));
  } finally {
    closeSync(file);
  }
}

/** It may grow while it is read: the limit is on what is read, and not on the size that it had. */
function readAll(file: number, path: string, maxBytes: number): Buffer {
  const bytes = Buffer.alloc(maxBytes + 1);
  let length = 0;
  let read: number;
  do {
    read = readSync(file, bytes, length, bytes.length - length, null);
    length += read;
  } while (read > 0);
  if (length > maxBytes) throw unsafe(path, `is larger than ${maxBytes} bytes`);
  return bytes.subarray(0, length);
}

function textOf(path: string, bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw unsafe(path, 'is not utf-8', error);
  }
}
