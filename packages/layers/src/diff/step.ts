import type { BytePath } from '../files/byte-path.js';
import type { Change } from './change.js';

/** A path whose difference is another one than it was; undefined: none. */
export interface Step {
  readonly path: BytePath;
  readonly before: Change | undefined;
  readonly after: Change | undefined;
}

/** Whether two differences are of the same thing: its time says so, which nobody inside can set. */
export function isSame(a: Change | undefined, b: Change | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return a.how === b.how && a.after?.inode === b.after?.inode && a.after?.changedAt === b.after?.changedAt;
}

/** In the order of paths: a folder is followed by what stands in it. */
export function inOrder<T extends { readonly path: BytePath }>(all: readonly T[]): readonly T[] {
  return all.toSorted((a, b) => byPath(a.path, b.path));
}

/** As text whose slashes come before everything else. */
export function byPath(a: BytePath, b: BytePath): number {
  const [one, other] = [a.replaceAll('/', '\0'), b.replaceAll('/', '\0')];
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
