import type { HomePaths } from '@subluminal/ipc';
import { isUntouched, type LayerAbout, layersIn } from '@subluminal/layers';

/** The layers to which something was written, the oldest first. Nothing is compared for it. */
export function waitingLayers({ layersDir }: HomePaths): readonly LayerAbout[] {
  return layersIn(layersDir).filter((about) => !isUntouched(about));
}
