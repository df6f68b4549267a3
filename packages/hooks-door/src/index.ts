/** The complete public surface of @subluminal/hooks-door: named exports only. */
export { hookActions, hookEvent } from './actions.js';
export type { HookActions } from './actions.js';
export { isHookPath } from './ask.js';
export { isBelowClient } from './speaker.js';
export { HookServing } from './serving.js';
export type { HookCaller, HookServingParts } from './serving.js';
