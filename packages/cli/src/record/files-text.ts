import { type FsDiff, numberAt, textsAt, valueAt } from '@subluminal/core-types';
import type { CallRecord } from '@subluminal/records';

/** The files that a command changed in its layer, as `+3 ~1 -2`; empty if it changed none. */
export function filesText({ last }: CallRecord): string {
  const diff = valueAt(last?.data ?? null, 'fs_diff');
  if (diff === null) return '';
  const count = (name: string): number => numberAt(diff, name) ?? 0;
  return signsOf({
    added: count('added'),
    modified: count('modified'),
    deleted: count('deleted'),
    ...(valueAt(diff, 'truncated') === true ? { truncated: true } : {}),
  });
}

/** The first of these files, each with its sign. */
export function filePaths({ last }: CallRecord): readonly string[] {
  return textsAt(last?.data ?? null, 'fs_diff', 'paths');
}

/** A diff in one word, as `+3 ~1 -2`. */
export function signsOf({ added, modified, deleted, truncated }: Omit<FsDiff, 'paths'>): string {
  const parts = [
    ['+', added],
    ['~', modified],
    ['-', deleted],
  ] as const;
  const signs = parts.flatMap(([sign, count]) => (count === 0 ? [] : [`${sign}${count}`])).join(' ');
  if (truncated !== true) return signs;
  return signs === '' ? 'changes that cannot be told' : `${signs} and more`;
}
