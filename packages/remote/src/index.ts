/** The complete public surface of @subluminal/remote: named exports only. */
export { Clients } from './clients.js';
export { HttpDoor } from './door.js';
export { DEFAULT_HTTP_LIMITS } from './limits.js';
export type { HttpLimits } from './limits.js';
export { PeerProcesses } from './peer-process.js';
export { HttpServing } from './serving.js';
export { httpActions, httpData } from './actions.js';
export type { HttpActions } from './actions.js';
export { HttpDoorStore } from './door-store.js';
export { HTTP_TABLES } from './tables.js';
