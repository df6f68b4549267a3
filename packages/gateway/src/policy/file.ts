import { closeSync, constants, fstatSync, openSync, readFileSync, statSync, type BigIntStats } from 'node:fs';
import { SublError } from '@subluminal/core-types';

/** A policy file is text that a person wrote. */
const MAX_BYTES = 1024 * 1024;

/**
 * Reads `policy.yaml`: a regular file (not a link) of our user that nobody else can write. Design §6.
 *
 * @throws SublError `policy_missing`, `policy_invalid`.
 */
export function readPolicyFile(path: string): string {
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    if (isMissing(error)) throw new SublError('policy_missing', `there is no policy file \`${path}\``);
    const why = error instanceof Error ? error.message : String(error);
    throw new SublError('policy_invalid', `the policy file cannot be opened: ${why}`, { cause: error });
  }
  try {
    const stats = fstatSync(file);
    if (!stats.isFile()) throw unfit(path, 'is not a regular file');
    if (stats.size > MAX_BYTES) throw unfit(path, `is larger than ${MAX_BYTES} bytes`);
    const uid = process.getuid?.();
    if (uid !== undefined && stats.uid !== uid) throw unfit(path, 'belongs to another user');
    if (uid !== undefined && (stats.mode & 0o022) !== 0) throw unfit(path, 'can be written by others');
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(file));
  } catch (error) {
    if (error instanceof TypeError) throw unfit(path, 'is not utf-8');
    throw error;
  } finally {
    closeSync(file);
  }
}

/** What changes when the file does; `missing` when it is not there. */
export function policyStamp(path: string): string {
  const stats: BigIntStats | undefined = statSync(path, { bigint: true, throwIfNoEntry: false });
  if (stats === undefined) return 'missing';
  return [stats.dev, stats.ino, stats.size, stats.mtimeNs, stats.ctimeNs].join(':');
}

function unfit(path: string, what: string): SublError {
  return new SublError('policy_invalid', `the policy file \`${path}\` ${what}`);
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
