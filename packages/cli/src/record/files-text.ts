import { type FsDiff, type JsonValue, numberAt, textsAt, valueAt } from '@subluminal/core-types';
import { type CallRecord, layerDecisionOf } from '@subluminal/records';

/**
 * The files that a command changed in its layer, or that a decision on a layer is about, as `+3 ~1 -2`; empty
 * if there are none.
 */
export function filesText(record: CallRecord): string {
  const diff = diffIn(record);
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
export function filePaths(record: CallRecord): readonly string[] {
  return textsAt(diffIn(record), 'paths');
}

function diffIn(record: CallRecord): JsonValue {
  const layer = layerDecisionOf(record);
  return layer === undefined ? valueAt(record.last?.data ?? null, 'fs_diff') : layer.diff;
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

/** The changes that a diff tells of, all kinds together. */
export function countOf(told: Omit<FsDiff, 'paths'> | undefined): number {
  return told === undefined ? 0 : told.added + told.modified + told.deleted;
}
