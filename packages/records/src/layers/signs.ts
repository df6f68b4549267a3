import { type FsDiff, type JsonValue, numberAt, valueAt } from '@subluminal/core-types';

/** A diff in one word, as `+3 ~1 -2`; empty if it tells of nothing. */
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

/** The same of an `fs_diff` as the record has it. */
export function signsIn(diff: JsonValue): string {
  const count = (name: string): number => numberAt(diff, name) ?? 0;
  return signsOf({
    added: count('added'),
    modified: count('modified'),
    deleted: count('deleted'),
    ...(valueAt(diff, 'truncated') === true ? { truncated: true } : {}),
  });
}
