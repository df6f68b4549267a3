import { isSublError } from '@subluminal/core-types';
import { type BytePath, type Layer, type LayerAbout, letGo, rememberTaken } from '@subluminal/layers';
import type { HomePaths } from '@subluminal/ipc';
import { closeIfIdle } from '../../session/close.js';
import { sessionOfLayer } from '../../session/place.js';

/**
 * The world of the layer behind a commit. `ended`: nothing ran in the world of the folder, so that the next
 * command has a new one, which sees the project as it is. `stays`: something runs there, or it is in a run.
 */
export type WorldAfter = 'ended' | 'stays';

/**
 * Settles what a commit has taken over: it leaves the layer, if no world has that, or only one that was idle,
 * which is ended for it. A world that stays would be confused if its files went: it is remembered what they
 * are now. Undefined: no world had the layer. Throws the system's errors.
 */
export async function settled(
  home: HomePaths,
  about: LayerAbout,
  layer: Layer,
  done: readonly BytePath[],
): Promise<WorldAfter | undefined> {
  const after = await worldAfter(home, about, done);
  if (after === 'stays') await rememberTaken(layer, done);
  else await letGo(about, layer, new Set(done));
  return after;
}

async function worldAfter(
  home: HomePaths,
  { world, place }: LayerAbout,
  done: readonly BytePath[],
): Promise<WorldAfter | undefined> {
  if (world === undefined) return undefined;
  const session = done.length === 0 ? undefined : sessionOfLayer(home, place.id);
  if (session === undefined) return 'stays';
  const isEnded = await closeIfIdle(session).catch((error: unknown) => {
    // The commit is done, whatever becomes of the world.
    if (isSublError(error)) return false;
    throw error;
  });
  return isEnded ? 'ended' : 'stays';
}
