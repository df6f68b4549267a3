import { statSync, type BigIntStats } from 'node:fs';
import { isSublError, SublError } from '@subluminal/core-types';
import { readOwnText } from '@subluminal/ipc';

/** What the compiler reads, at four bytes a character: ten thousand rules are two megabytes of JSON. */
const MAX_BYTES = 16 * 1024 * 1024;

/**
 * Reads `policy.yaml`: a regular file (not a link) of our user that nobody else can write. ARCHITECTURE.md,
 * "Policy".
 *
 * @throws SublError `policy_missing`, `policy_invalid`.
 */
export function readPolicyFile(path: string): string {
  let text: string | undefined;
  try {
    text = readOwnText(path, { maxBytes: MAX_BYTES, forbidden: 0o022 });
  } catch (cause) {
    if (!isSublError(cause, 'home_unsafe')) throw cause;
    throw new SublError('policy_invalid', `the policy file ${cause.message}`, {
      cause,
      help: cause.help ?? 'replace it by a file that only you can write',
    });
  }
  if (text === undefined) {
    throw new SublError('policy_missing', `there is no policy file \`${path}\``, {
      help: 'put it back; to allow everything again, write one without rules',
    });
  }
  return text;
}

/** What changes when the file does; `missing` when it is not there. */
export function policyStamp(path: string): string {
  const stats: BigIntStats | undefined = statSync(path, { bigint: true, throwIfNoEntry: false });
  if (stats === undefined) return 'missing';
  return [stats.dev, stats.ino, stats.size, stats.mtimeNs, stats.ctimeNs].join(':');
}
