/** The complete public surface of @subluminal/layers: named exports only. */
export { type Applied, applyPlan, type ApplyTo } from './apply/apply.js';
export {
  type Conflict,
  CONFLICT_WORDS,
  type ConflictKind,
  type LeftWords,
  type Refusal,
  REFUSAL_WORDS,
  type RefusalKind,
} from './plan/left.js';
export { digestOf } from './plan/digest.js';
export { type Look, lookDigest, overwriteDigest, type Overwritten } from './plan/look-digest.js';
export { type CommitOf, planCommit } from './plan/plan.js';
export { mayBeAside, recoverCommit, type SetAside } from './apply/recover.js';
export { type Risk, RISK_WORDS } from './risk/risk.js';
export { pinned } from './plan/ask/pinned.js';
export type { Agreed, Ask, CommitPlan, CommitStep } from './plan/steps.js';
export type { Change, Diff, FileState, How, Kind } from './diff/change.js';
export { GatheredSteps } from './diff/gathered.js';
export type { Step } from './diff/step.js';
export { diffTold, toldOf, UNSEEN } from './diff/told.js';
export {
  bytePath,
  type BytePath,
  bytesOf,
  foldersOf,
  isBelow,
  pathOfShown,
  pathOfText,
  shown,
  split,
} from './files/byte-path.js';
export { Folder } from './files/folder.js';
export { Folders } from './files/folders.js';
export { foldedName } from './risk/folded.js';
export { layerAsks, rememberAsks } from './layer/asks.js';
export { type CutOff, markBegun, unmarkBegun } from './layer/cut-off.js';
export { letGo, type RecordRecovery, withLayer } from './layer/decide.js';
export { rememberTaken } from './layer/taken.js';
export { withMissing } from './layer/with-missing.js';
export { diffOf, Layer, tellOf } from './layer/layer.js';
export {
  assertNoWorld,
  assertSameProject,
  isUntouched,
  type LayerAbout,
  layerNamed,
  layerPlace,
  type LayerPlace,
  layersIn,
  readLayer,
  shortName,
  takeLayer,
  type TakeLayer,
} from './layer/place.js';
export { type LayerSize, type NotedSize, noteSize, notedSize, sizeOf } from './layer/size.js';
export { BOUNDS, type Bounds } from './walk/bounds.js';
export { patchesOf } from './patch/patch.js';
export { discardLayer } from './remove/discard.js';
export { isChosen, purge, type PurgeOf } from './remove/purge.js';
