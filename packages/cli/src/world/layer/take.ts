import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { takeLock } from '@subluminal/agent';
import { type HomePaths, ownIdentity } from '@subluminal/ipc';
import {
  discardLayer,
  isUntouched,
  type LayerAbout,
  type LayerPlace,
  layersIn,
  readLayer,
  takeLayer,
  type TakeLayer,
} from '@subluminal/layers';
import { assertRoom } from './budget.js';

const LOCK_MS = 20_000;

/**
 * Takes a layer for this process, as `takeLayer` does, and nobody else at the same moment. Layers that are
 * empty, and whose worlds were killed, go. Errors: those of `takeLayer`, `takeLock` and, for a new one,
 * `assertRoom`.
 */
export async function takenLayer(
  home: HomePaths,
  place: LayerPlace,
  use: Omit<TakeLayer, 'taker'>,
): Promise<LayerAbout> {
  const { layersDir } = home;
  mkdirSync(layersDir, { recursive: true, mode: 0o700 });
  const taker = ownIdentity();
  const free = await takeLock({ path: join(layersDir, 'lock'), me: taker, timeoutMs: LOCK_MS });
  try {
    for (const other of layersIn(layersDir))
      if (other.place.id !== place.id && isFree(other) && isUntouched(other)) await discardLayer(other.place);
    // One that goes on takes no more room than it had.
    if (readLayer(place) === undefined) assertRoom(home, use.now);
    return takeLayer(place, { ...use, taker });
  } finally {
    free?.();
  }
}

/**
 * Takes a layer for whoever decides on it, and gives it as it is then: a world that began meanwhile would see
 * its own files go, and so would whoever else decides on it. One that a world has stays in that. Errors:
 * those of `takenLayer`.
 */
export function claimed(home: HomePaths, about: LayerAbout, now: number): Promise<LayerAbout> {
  const { place, project, runId, label } = about;
  return takenLayer(home, place, { project, runId, label, now, as: 'decider' });
}

function isFree({ world, decider }: LayerAbout): boolean {
  return world === undefined && decider === undefined;
}
