import { type FsDiff, type LayerCommitPayload, type LayerEndPayload, startOf } from '@subluminal/core-types';
import { type Applied, type CommitPlan, type Diff, digestOf, shown, toldOf } from '@subluminal/layers';
import type { WithDiff } from '../decision.js';

/** A commit that is done. */
export interface Done {
  readonly plan: CommitPlan;
  readonly applied: Applied;
}

const MOST_PATHS = 64;
const MOST_LETTERS = 512;
const NOTHING = { added: 0, modified: 0, deleted: 0, paths: [] };

/** All that is recorded of a commit before it begins, but for its layer. */
export function commitFacts(plan: CommitPlan, { changes }: Diff): WithDiff<LayerCommitPayload> {
  const planned = new Set(plan.steps.map(({ path }) => path));
  const taken = changes.filter(({ path }) => planned.has(path));
  return {
    plan_sha256: digestOf(plan),
    fs_diff: toldOf({ changes: taken, isTruncated: plan.isPartial }) ?? NOTHING,
    risky: plan.agreed.slice(0, MOST_PATHS).map(({ path }) => startOf(shown(path), MOST_LETTERS)),
    risky_count: plan.agreed.length,
    left: countsOf(plan, plan.conflicts),
  };
}

/** The changes that the project had not before; undefined: none that are told. */
export function takenBy({ plan, applied }: Done, { changes }: Diff): FsDiff | undefined {
  const before = new Set(plan.already);
  const done = new Set(applied.done.filter((path) => !before.has(path)));
  return toldOf({ changes: changes.filter(({ path }) => done.has(path)), isTruncated: false });
}

/** The changes that a commit has left, by why. */
export function leftOf({ plan, applied: { conflicts } }: Done): LayerEndPayload['left'] {
  return countsOf(plan, conflicts);
}

function countsOf(
  { refusals, waiting }: CommitPlan,
  conflicts: Applied['conflicts'],
): LayerEndPayload['left'] {
  const counts = new Map<string, number>();
  const left = [...conflicts, ...refusals, ...waiting.map(() => ({ why: 'asks' }))];
  for (const { why } of left) counts.set(why, (counts.get(why) ?? 0) + 1);
  return [...counts].map(([why, count]) => ({ why, count }));
}
