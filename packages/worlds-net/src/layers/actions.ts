import type { ActionTable } from '@subluminal/gateway';
import { layerCommit, layerDiscard, layerRecover } from './begin.js';
import { type DecisionReader, layerEnd } from './end.js';

/** The decisions of a person on layers. */
export type LayerActions = Pick<
  ActionTable,
  'layer.commit' | 'layer.discard' | 'layer.recover' | 'layer.end'
>;

/** The gateway records them, and touches no file of a layer or a project. */
export function layerActions(openReader: () => DecisionReader): LayerActions {
  return {
    'layer.commit': layerCommit(openReader),
    'layer.discard': layerDiscard(openReader),
    'layer.recover': layerRecover(),
    'layer.end': layerEnd(openReader),
  };
}
