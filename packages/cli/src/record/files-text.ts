import { type FsDiff, type JsonValue, textsAt, valueAt } from '@subluminal/core-types';
import { type CallRecord, layerDecisionOf, signsIn } from '@subluminal/records';

/**
 * The files that a command changed in its layer, or that a decision on a layer is about, as `+3 ~1 -2`; empty
 * if there are none.
 */
export function filesText(record: CallRecord): string {
  const diff = diffIn(record);
  if (diff === null) return '';
  return signsIn(diff);
}

/** The first of these files, each with its sign. */
export function filePaths(record: CallRecord): readonly string[] {
  return textsAt(diffIn(record), 'paths');
}

function diffIn(record: CallRecord): JsonValue {
  const layer = layerDecisionOf(record);
  return layer === undefined ? valueAt(record.last?.data ?? null, 'fs_diff') : layer.diff;
}

/** The changes that a diff tells of, all kinds together. */
export function countOf(told: Omit<FsDiff, 'paths'> | undefined): number {
  return told === undefined ? 0 : told.added + told.modified + told.deleted;
}
