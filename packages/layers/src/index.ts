/** The complete public surface of @subluminal/layers: named exports only. */
export type { Change, Diff, FileState, How, Kind } from './diff/change.js';
export type { Step } from './diff/differ.js';
export { diffTold, type DiffTold, stepsOf } from './diff/told.js';
export { bytePath, type BytePath, bytesOf, pathOfText, shown } from './files/byte-path.js';
export { diffOf, Layer } from './layer/layer.js';
export {
  isUntouched,
  type LayerAbout,
  layerNamed,
  layerPlace,
  type LayerPlace,
  layersIn,
  readLayer,
  takeLayer,
} from './layer/place.js';
