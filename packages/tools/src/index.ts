/** The complete public surface of @subluminal/tools: named exports only. */
export { TOOLS_SECTION } from './config.js';
export { TOOLS_TABLES } from './book/tables.js';
export { ToolBook } from './book/book.js';
export { PIN_LIMITS } from './book/limits.js';
export { PinStore } from './book/pin-store.js';
export { PinModes } from './pin-modes.js';
export { ToolPins } from './tool-pins.js';
export { toolsActions } from './actions/actions.js';
export type { ToolsActions } from './actions/actions.js';
