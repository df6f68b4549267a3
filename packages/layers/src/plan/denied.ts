import { hasCode } from '@subluminal/ipc';

/** Errors of the system that concern one path, and not the whole commit. */
const OF_ONE = [
  'EACCES',
  'EBUSY',
  'EEXIST',
  'EFBIG',
  'EINVAL',
  'EISDIR',
  'ELOOP',
  'EMLINK',
  'ENAMETOOLONG',
  'ENOENT',
  'ENOTDIR',
  'ENOTEMPTY',
  'ENXIO',
  'EOPNOTSUPP',
  'EPERM',
  'EROFS',
  'ESTALE',
  'ETXTBSY',
  'EXDEV',
] as const;
const NO_ROOM = ['ENOSPC', 'EDQUOT'] as const;

/** The code of an error that says no to one path; undefined for any other error. */
export function deniedBy(error: unknown): string | undefined {
  return OF_ONE.find((code) => hasCode(error, code));
}

/** Whether the file system is full. */
export function saysFull(error: unknown): boolean {
  return hasCode(error, ...NO_ROOM);
}
