import type { BytePath } from '../files/byte-path.js';
import type { Change } from './change.js';

/** A path whose difference is another one than it was; undefined: none. */
export interface Step {
  readonly path: BytePath;
  readonly before: Change | undefined;
  readonly after: Change | undefined;
}

/** Whether two differences are of the same thing: its time says so, which nobody inside can set. */
export function isSameDifference(a: Change | undefined, b: Change | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return a.how === b.how && a.after?.inode === b.after?.inode && a.after?.changedAt === b.after?.changedAt;
}

/** In the order of paths: a folder is followed by what stands in it. */
export function inOrder<T extends { readonly path: BytePath }>(all: readonly T[]): readonly T[] {
  const keyed = all.map((one) => ({ one, key: keyOf(one.path) }));
  return keyed.toSorted((a, b) => compareText(a.key, b.key)).map(({ one }) => one);
}

/** As text whose slashes come before everything else. */
function keyOf(path: BytePath): string {
  return path.includes('/') ? path.replaceAll('/', '\0') : path;
}

function compareText(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
