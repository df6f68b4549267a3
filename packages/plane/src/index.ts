/** The complete public surface of @subluminal/plane: named exports only. */
export { ALL_TELEMETRY } from './event.js';
export type { Action, Identity, Life, LifeKind, PlaneEvent, Telemetry } from './event.js';
export type { PlaneEntry } from './entries.js';
export { fold, foldAll } from './fold.js';
export type { Folded } from './fold.js';
export { isHeldOut, keyOf } from './key.js';
export { forkedState, readState, startOfState } from './state.js';
export type { PlaneState } from './state.js';
export { DEFAULT_SETTINGS } from './settings.js';
export type { PlaneSettings } from './settings.js';
export { baselinesSchema, forgotten, learnt, NO_BASELINES, termsOf } from './baseline/baseline.js';
export type { Baselines } from './baseline/baseline.js';
export { structured } from './checkpoint/structured.js';
export type { Mechanism } from './checkpoint/mechanism.js';
export { reasonText } from './posture/text.js';
export type { Mode, Modes, Role } from './posture/modes.js';
export { waitsForCheckpoint } from './posture/gate.js';
