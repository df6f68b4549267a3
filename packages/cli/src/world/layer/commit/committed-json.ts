import { type LayerAbout, shown } from '@subluminal/layers';
import { reasonsOf } from '../change-lines.js';
import type { Naming } from '../chosen-layer.js';
import type { Done } from './commit-facts.js';
import { conflictOf, refusalOf } from './left.js';

/** A commit for `--json`. */
export function committedJson(about: LayerAbout, { plan, applied }: Done, name: Naming): object {
  const { done, conflicts, isFull } = applied;
  return {
    layer: about.place.id,
    folder: about.project,
    committed: done.map((path) => shown(path)),
    asks: plan.waiting.map((ask) => ({
      path: shown(ask.path),
      risks: ask.risks,
      pattern: ask.pattern ?? null,
      reasons: reasonsOf(ask),
    })),
    conflicts: conflicts.map((one) => conflictOf(one, name)),
    refused: plan.refusals.map((one) => refusalOf(one, name)),
    stripped: plan.stripped.map((path) => shown(path)),
    kept: plan.gitsOwn.map((path) => shown(path)),
    full: isFull,
    truncated: plan.isPartial,
  };
}

/** The same where no layer holds changes of the folder. */
export function nothingCommittedJson(folder: string): object {
  const nothing = { committed: [], asks: [], conflicts: [], refused: [], stripped: [], kept: [] };
  return { layer: null, folder, ...nothing, full: false, truncated: false, entry: null, world: null };
}
