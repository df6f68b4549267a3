import { numberAt, textsAt } from '@subluminal/core-types';
import type { CallRecord } from '@subluminal/records';

const SIGNS = [
  ['+', 'added'],
  ['~', 'modified'],
  ['-', 'deleted'],
] as const;

/** The files that a command changed in its layer, as `+3 ~1 -2`; empty if it changed none. */
export function filesText({ last }: CallRecord): string {
  return SIGNS.flatMap(([sign, name]) => {
    const count = numberAt(last?.data ?? null, 'fs_diff', name) ?? 0;
    return count === 0 ? [] : [`${sign}${count}`];
  }).join(' ');
}

/** The first of these files, each with its sign. */
export function filePaths({ last }: CallRecord): readonly string[] {
  return textsAt(last?.data ?? null, 'fs_diff', 'paths');
}
