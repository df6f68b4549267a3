import type { FsDiff } from '@subluminal/core-types';
import type { LayerAbout } from '@subluminal/layers';
import { signsOf } from '../../record/files-text.js';

/** The sentence at the end of a command whose changes are in a layer; `isNamed`: it has to be named. */
export function layerRemark({ place }: LayerAbout, told: FsDiff, isNamed = false): string {
  const named = isNamed ? ` --layer ${place.id}` : '';
  return (
    `${signsOf(told)} in layer ${place.id}, not in the project: ` +
    `\`sub world diff${named}\`, \`sub world commit${named}\` or \`sub world discard${named}\``
  );
}
