import { type JsonObject, numberAt, textsAt, valueAt } from '@subluminal/core-types';
import { type CallRecord, layerDecisionOf } from '@subluminal/records';

/** The files that an `fs_diff` tells of: how many of each sort, and the first of them, each with its sign. */
export function changesText(diff: JsonObject): string {
  const signs = signsOf(diff);
  const paths = textsAt(diff, 'paths');
  return paths.length === 0 ? signs : `${signs}: ${paths.join(', ')}`;
}

/** Whether it tells of any. */
export function hasChanges(diff: JsonObject): boolean {
  return signsOf(diff) !== '';
}

/** A decision on a layer in one text: its folder, its changes, the decision that it ends; else empty. */
export function layerObject(record: CallRecord): string {
  const decision = layerDecisionOf(record);
  if (decision === undefined) return '';
  const { begun, diff, folder, left } = decision;
  const leaves = left.reduce((sum, { count }) => sum + count, 0);
  return [
    folder,
    diff === null ? '' : signsOf(diff),
    leaves === 0 ? '' : `${leaves} left`,
    begun === undefined ? '' : `begun by entry ${begun}`,
  ]
    .filter((part) => part !== '')
    .join(' · ');
}

/** As `+3 ~1 -2`; empty for none. */
function signsOf(diff: JsonObject): string {
  const parts = [
    ['+', 'added'],
    ['~', 'modified'],
    ['-', 'deleted'],
  ] as const;
  const signs = parts.flatMap(([sign, name]) => {
    const count = numberAt(diff, name) ?? 0;
    return count === 0 ? [] : [`${sign}${count}`];
  });
  return [...signs, ...(valueAt(diff, 'truncated') === true ? ['and more'] : [])].join(' ');
}
