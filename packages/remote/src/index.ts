/** The complete public surface of @subluminal/remote: named exports only. */
export { Clients } from './client/clients.js';
export { HttpDoor } from './client/door.js';
export { DEFAULT_HTTP_LIMITS } from './limits.js';
export type { HttpLimits } from './limits.js';
export { doorServer } from './client/door-server.js';
export type { DoorServerParts } from './client/door-server.js';
export { DoorSockets } from './client/door-sockets.js';
export { ownerOf, PeerProcesses, socketTable } from './client/peer-process.js';
export { serveInWorld } from './client/world-door.js';
export { HttpServing } from './serving.js';
export { httpActions, httpData } from './client/actions.js';
export type { HttpActions } from './client/actions.js';
export { HttpDoorStore } from './client/door-store.js';
export { HTTP_SECTION } from './config.js';
export { HTTP_TABLES } from './tables.js';
