import { CONFLICT_WORDS, REFUSAL_WORDS } from '@subluminal/layers';
import { type CallRecord, layerDecisionOf } from '@subluminal/records';
import type { Cell } from '../output/table.js';

const CONFLICTS = new Map(Object.entries(CONFLICT_WORDS).map(([why, { what }]) => [why, what]));
const REFUSALS = new Map(Object.entries(REFUSAL_WORDS).map(([why, { what }]) => [why, what]));
const OTHERS = new Map([
  ['asks', 'a person is asked about it, and nobody said yes'],
  ['hidden', 'a folder above hides it'],
]);

/** The project that a decision on a layer is about, or the entry of the decision; empty for other records. */
export function layerPlace(record: CallRecord): string {
  const decision = layerDecisionOf(record);
  if (decision === undefined) return '';
  return decision.folder === '' ? `of entry ${decision.begun ?? '?'}` : decision.folder;
}

/** How many changes a decision on a layer has left, as `2 left`; empty if none. */
export function leftText(record: CallRecord): string {
  const count = (layerDecisionOf(record)?.left ?? []).reduce((sum, one) => sum + one.count, 0);
  return count === 0 ? '' : `${count} left`;
}

/** Whose decision on a layer it was, as `by operator`; empty for other records. */
export function deciderText(record: CallRecord): string {
  const by = layerDecisionOf(record)?.by ?? '';
  return by === '' ? '' : `by ${by}`;
}

/** All that is recorded of a decision on a layer, for `sub show`. */
export function layerLines(record: CallRecord): readonly (readonly [string, Cell])[] {
  const decision = layerDecisionOf(record);
  if (decision === undefined) return [];
  const { layerId, runId, by, risky, riskyCount, left, done, isFull, begun } = decision;
  const more = riskyCount - risky.length;
  return [
    ['by', { text: by }],
    ['layer', { text: layerId }],
    ['world of', { text: runId }],
    ['cut off', { text: begun === undefined ? '' : `entry ${begun}` }],
    // Of a recovery these are files, most of which came to be as they had been.
    [begun === undefined ? 'done' : 'settled', { text: done === undefined ? '' : String(done) }],
    ...left.map(({ why, count }, at): readonly [string, Cell] => [
      at === 0 ? 'left' : '',
      {
        text: `${count}: ${CONFLICTS.get(why) ?? REFUSALS.get(why) ?? OTHERS.get(why) ?? why}`,
        tone: 'warn',
      },
    ]),
    ['overwrote', { text: decision.isOverwriting ? 'also what the project had changed' : '' }],
    ['room', { text: isFull ? 'none was left in the project' : '' }],
    ...risky.map((path, at): readonly [string, Cell] => [at === 0 ? 'risky' : '', { text: path }]),
    ...(more > 0 ? [['', { text: `and ${more} more` }] as const] : []),
  ];
}
