import type { FsDiff } from '@subluminal/core-types';
import type { HomePaths } from '@subluminal/ipc';
import type { LayerAbout } from '@subluminal/layers';
import { signsOf } from '@subluminal/records';
import { waitingLayers } from './waiting.js';

/**
 * The sentence at the end of a command whose changes are in a layer. It names the layer if that is not the
 * folder's own (`isApart`), or if another one waits, too.
 */
export function layerRemark(home: HomePaths, about: LayerAbout, told: FsDiff, isApart: boolean): string {
  const { place, project } = about;
  const isOneOfMore = waitingLayers(home).some(
    (other) => other.project === project && other.place.id !== place.id,
  );
  const named = isApart || isOneOfMore ? ` --layer ${place.id}` : '';
  return (
    `${signsOf(told)} in layer ${place.id}, not in the project: ` +
    `\`sub world diff${named}\`, \`sub world commit${named}\` or \`sub world discard${named}\``
  );
}
