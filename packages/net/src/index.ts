/** The complete public surface of @subluminal/net: named exports only. */
export { NET_TABLES } from './allowlist/tables.js';
export { Allowlist } from './allowlist/allowlist.js';
export { lateEndEntry } from './connection/end-entry.js';
export { HeaderRelease } from './connection/header-release.js';
export { pastConnections } from './connection/past-connections.js';
export { RunTraffic } from './connection/run-traffic.js';
export { isStillAllowed } from './connection/still-allowed.js';
export { OwnListeners } from './own-listeners.js';
export { type OpenWorlds, termsOfWorld, type WorldTerms } from './world-terms.js';
export { netActions } from './actions.js';
export type { NetActions } from './actions.js';
