import { recoverCommit, type SetAside } from '../apply/recover.js';
import { inOrder } from '../diff/step.js';
import { toldOf } from '../diff/told.js';
import { type BytePath, foldersOf, split } from '../files/byte-path.js';
import { Folders } from '../files/folders.js';
import { discardLayer } from '../remove/discard.js';
import { forgetOrigins } from '../remove/origins.js';
import { purge } from '../remove/purge.js';
import { type CutOff, cutOffIn, unmarkBegun } from './cut-off.js';
import { Layer } from './layer.js';
import type { LayerAbout } from './place.js';
import { noteSize, sizeOf } from './size.js';

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

/** Names that are looked at for the size of what stays. */
const MOST_NAMES = 20_000;

/**
 * Takes changes out of a layer that no world has, and all that differs in nothing; with the last of them the
 * layer goes. Gives the changes that stay, as `purge` does, and those of what the project has in a folder
 * that hides it, and stays: without the layer's own nothing would be seen there.
 */
export async function letGo(
  { place }: LayerAbout,
  layer: Layer,
  paths: ReadonlySet<BytePath>,
): Promise<readonly BytePath[]> {
  const { changes } = layer.diff;
  const rest = new Set<BytePath>();
  for (const { path } of changes) if (!paths.has(path)) for (const one of foldersOf(path)) rest.add(one);
  const hidden = hiddenOf(layer, paths, rest);
  for (const path of hidden) for (const one of foldersOf(path)) rest.add(one);
  const idle = layer.idle(rest);
  const gone = new Set([...paths, ...idle.map(({ path }) => path)]);
  for (const path of hidden) gone.delete(path);
  const files = changes.filter(({ path, after }) => !gone.has(path) && after?.kind === 'file');
  await forgetOrigins(
    layer.upper,
    files.map(({ path }) => path),
  );
  const purged = await purge({ upper: layer.upper, changes: inOrder([...changes, ...idle]), paths: gone });
  // Behind the purge: what could not be taken out is still compared with what it was.
  const stays = new Set([...hidden, ...purged.filter((path) => paths.has(path))]);
  layer.bases.forget([...gone].filter((path) => !stays.has(path)));
  layer.bases.compact();
  await layer.look();
  if (toldOf(layer.diff) === undefined) await discardLayer(place);
  else noteSize(place, sizeOf([place], MOST_NAMES));
  return [...stays];
}

/** Those of the paths at which the project has something that a folder above hides, if that one stays. */
function hiddenOf(
  layer: Layer,
  paths: ReadonlySet<BytePath>,
  rest: ReadonlySet<BytePath>,
): readonly BytePath[] {
  const project = new Folders(layer.project);
  try {
    return [...paths].filter((path) => {
      const hider = layer.hiderOf(split(path).folder);
      return hider !== undefined && rest.has(hider) && project.look(path) !== undefined;
    });
  } finally {
    project.close();
  }
}
