/** The complete public surface of @subluminal/tools: named exports only. */
export { TOOLS_TABLES } from './book/tables.js';
export { toolsApprove } from './actions/tools-approve.js';
export { toolsDiff } from './actions/tools-diff.js';
export { toolsForget } from './actions/tools-forget.js';
export { toolsList } from './actions/tools-list.js';
export { toolsListed } from './actions/tools-listed.js';
export { ToolBook } from './book/book.js';
export { PIN_LIMITS } from './book/limits.js';
export { PinStore } from './book/pin-store.js';
export { PinModes } from './pin-modes.js';
export { ToolPins } from './tool-pins.js';
