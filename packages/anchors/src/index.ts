/** The complete public surface of @subluminal/anchors: named exports only. */
export { anchorsActions } from './actions.js';
export type { AnchorsActions } from './actions.js';
