import type { HomePaths } from '@subluminal/ipc';
import { isUntouched, type LayerAbout, layersIn, tellOf } from '@subluminal/layers';

/** The layers to which something was written, the oldest first. Nothing is compared for it. */
export function waitingLayers({ layersDir }: HomePaths): readonly LayerAbout[] {
  return layersIn(layersDir).filter((about) => !isUntouched(about));
}

const BOUNDS = { names: 2000, bytes: 1_048_576 };

/**
 * Those of them that differ from their projects. Only that of a world that runs is looked at: it keeps copies
 * of what was taken over, and an index of git that says nothing new; with the end of a world these leave it.
 */
export async function changedLayers(home: HomePaths): Promise<readonly LayerAbout[]> {
  const changed: LayerAbout[] = [];
  // One after the other: each look is a process of its own.
  for (const about of waitingLayers(home))
    if (about.world === undefined || (await tellOf(about, BOUNDS)) !== undefined) changed.push(about);
  return changed;
}
