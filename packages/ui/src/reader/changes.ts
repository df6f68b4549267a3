import { type JsonObject, textsAt } from '@subluminal/core-types';
import { type CallRecord, layerDecisionOf, signsIn } from '@subluminal/records';

/** The files that an `fs_diff` tells of: how many of each sort, and the first of them, each with its sign. */
export function changesText(diff: JsonObject): string {
  const signs = signsIn(diff);
  const paths = textsAt(diff, 'paths');
  return paths.length === 0 ? signs : `${signs}: ${paths.join(', ')}`;
}

/** Whether it tells of any. */
export function hasChanges(diff: JsonObject): boolean {
  return signsIn(diff) !== '';
}

/** A decision on a layer in one text: its folder, its changes, the decision that it ends; else empty. */
export function layerObject(record: CallRecord): string {
  const decision = layerDecisionOf(record);
  if (decision === undefined) return '';
  const { begun, diff, folder, left } = decision;
  const leaves = left.reduce((sum, { count }) => sum + count, 0);
  return [
    folder,
    diff === null ? '' : signsIn(diff),
    leaves === 0 ? '' : `${leaves} left`,
    begun === undefined ? '' : `begun by entry ${begun}`,
  ]
    .filter((part) => part !== '')
    .join(' · ');
}
