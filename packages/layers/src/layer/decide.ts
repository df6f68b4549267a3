import { recoverCommit, type SetAside } from '../apply/recover.js';
import { inOrder } from '../diff/step.js';
import { toldOf } from '../diff/told.js';
import type { BytePath } from '../files/byte-path.js';
import { discardLayer } from '../remove/discard.js';
import { forgetOrigins } from '../remove/origins.js';
import { purge } from '../remove/purge.js';
import { type CutOff, cutOffIn, unmarkBegun } from './cut-off.js';
import { Layer } from './layer.js';
import type { LayerAbout } from './place.js';

/**
 * Records that a decision which was cut off is brought to an end, before `recover` does, and how it went;
 * `recover` gives what could not be put back.
 */
export type RecordRecovery = (cutOff: CutOff, recover: () => readonly SetAside[]) => Promise<void>;

/**
 * Opens a layer for somebody who decides on it: a decision that was cut off is brought to an end, as
 * `recovering` records it, and all that differs is looked at. Closes it behind `work`. Errors: those of
 * `cutOffIn`, `recoverCommit`, `recovering`, `Layer` and `work`.
 */
export async function withLayer<T>(
  about: LayerAbout,
  recovering: RecordRecovery,
  work: (layer: Layer) => Promise<T>,
): Promise<T> {
  const layer = new Layer(about);
  try {
    const recover = (): readonly SetAside[] => {
      const unplaced = recoverCommit(about.place.journal, layer.project);
      unmarkBegun(about.place);
      return unplaced ?? [];
    };
    const cutOff = cutOffIn(about.place);
    if (cutOff !== undefined) await recovering(cutOff, recover);
    // An empty journal says nothing, and is in the way of the next one.
    else recoverCommit(about.place.journal, layer.project);
    await layer.look();
    return await work(layer);
  } finally {
    layer.close();
  }
}

/**
 * Takes changes out of a layer that no world has, and all that differs in nothing; with the last of them the
 * layer goes. Gives the changes that stay, as `purge` does.
 */
export async function letGo(
  { place }: LayerAbout,
  layer: Layer,
  paths: ReadonlySet<BytePath>,
): Promise<readonly BytePath[]> {
  const rest = layer.diff.changes.filter(({ path, after }) => !paths.has(path) && after?.kind === 'file');
  await forgetOrigins(
    layer.upper,
    rest.map(({ path }) => path),
  );
  const { idle } = layer;
  const gone = new Set([...paths, ...idle.map(({ path }) => path)]);
  const changes = inOrder([...layer.diff.changes, ...idle]);
  const stays = (await purge({ upper: layer.upper, changes, paths: gone })).filter((path) => paths.has(path));
  // Behind the purge: what could not be taken out is still compared with what it was.
  const staying = new Set(stays);
  layer.bases.forget([...gone].filter((path) => !staying.has(path)));
  layer.bases.compact();
  await layer.look();
  if (toldOf(layer.diff) === undefined) await discardLayer(place);
  return stays;
}
