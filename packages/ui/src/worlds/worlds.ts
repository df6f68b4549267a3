import type { UiLayerPayload } from '@subluminal/core-types';
import type { LayerDone, LayerPatch, World, Worlds } from '../protocol/worlds.js';
import { doneIn, patchIn, worldIn, worldsIn } from './answers.js';
import type { ChildLimits, SubChildren } from '../children/sub-children.js';

const LOOK: ChildLimits = { ms: 45_000, bytes: 8_388_608, isUnlocked: false };
/** The copy of a large layer takes its time; one that is ended is brought to its end later. */
const DECIDE: ChildLimits = { ms: 600_000, bytes: 16_777_216, isUnlocked: true };
/** Changes of a layer that a page lists. */
const MOST_CHANGES = 2000;

/** Layers of worlds, as `sub` tells of them and decides on them. `asker` is `ui:SESSION`. */
export interface LayerVerbs {
  list(asker: string): Promise<Omit<Worlds, 'ever'>>;
  /** Changes nothing: a commit that was cut off stays so, which is an error. */
  look(asker: string, layer: string): Promise<World>;
  /** The lines of one file, as they are in what was shown, or `layer_changed`. */
  patch(asker: string, layer: string, path: string, shown: string): Promise<LayerPatch>;
  /** Does what was shown, or nothing. `entry`: the one by which the page asked. */
  decide(asker: string, decision: UiLayerPayload, entry: number): Promise<LayerDone>;
}

/** Errors are those of `SubChildren.ask`. */
export function layerVerbs(children: Pick<SubChildren, 'ask'>): LayerVerbs {
  const diff = (layer: string): readonly string[] => ['world', 'diff', '--layer', layer, '--no-recover'];
  return {
    async list(asker) {
      return worldsIn(await children.ask(asker, ['world', 'status'], [], LOOK));
    },
    async look(asker, layer) {
      const verb = [...diff(layer), '--most', String(MOST_CHANGES)];
      return worldIn(await children.ask(asker, verb, [], LOOK));
    },
    async patch(asker, layer, path, shown) {
      const verb = [...diff(layer), '--expect', shown, '--most', '1', '--patch', '--as-shown'];
      return patchIn(await children.ask(asker, verb, [path], LOOK), path);
    },
    async decide(asker, { does, layer_id: layer, shown, paths = [], risky, overwrite }, entry) {
      const bound = ['--layer', layer, '--expect', shown, '--asked', String(entry), '--as-shown'];
      const yes = risky === true || does === 'discard' ? ['--yes'] : [];
      const over = overwrite === true && does === 'commit' ? ['--overwrite'] : [];
      return doneIn(await children.ask(asker, ['world', does, ...bound, ...yes, ...over], paths, DECIDE));
    },
  };
}
