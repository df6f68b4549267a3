const WORDS: Readonly<Record<string, string>> = {
  EACCES: 'this user may not',
  EBUSY: 'it is in use',
  EDQUOT: 'the quota of the disk is used up',
  EEXIST: 'it is there already',
  EFBIG: 'it would be too large',
  EIO: 'the disk failed',
  EISDIR: 'it is a folder',
  ELOOP: 'its links lead in a circle',
  EMFILE: 'too many files are open',
  ENAMETOOLONG: 'its name is too long',
  ENOENT: 'no such file or folder',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'a part of its path is no folder',
  EPERM: 'this user may not',
  EROFS: 'the file system is read-only',
};

/**
 * Why something failed, in words: a system error's code is known by its meaning, of anything else the message
 * stays.
 */
export function whyOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  if (!('code' in cause) || !('syscall' in cause)) return cause.message;
  const code = String(cause.code);
  return WORDS[code] ?? `the system says ${code}`;
}
