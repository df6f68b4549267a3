import type { FsDiff } from '@subluminal/core-types';
import type { LayerAbout } from '@subluminal/layers';
import { signsOf } from '../../record/files-text.js';

/** The sentence at the end of a command whose changes are in a layer. */
export function layerRemark({ place }: LayerAbout, told: FsDiff): string {
  return (
    `${signsOf(told)} in layer ${place.id}, not in the project: ` +
    '`sub world diff`, `sub world commit` or `sub world discard`'
  );
}
