/** The complete public surface of @subluminal/net: named exports only. */
export { NET_TABLES } from './allowlist/tables.js';
export { allowAdd } from './allowlist/allow-add.js';
export { allowDeactivate } from './allowlist/allow-deactivate.js';
export { allowList } from './allowlist/allow-list.js';
export { allowRemove } from './allowlist/allow-remove.js';
export { Allowlist } from './allowlist/allowlist.js';
export { netConnect } from './connection/connect.js';
export { lateEndEntry } from './connection/end-entry.js';
export { netEnd } from './connection/end.js';
export { HeaderRelease } from './connection/header-release.js';
export { pastConnections } from './connection/past-connections.js';
export { httpReach } from './connection/reach.js';
export { RunTraffic } from './connection/run-traffic.js';
export { isStillAllowed } from './connection/still-allowed.js';
export { OwnListeners } from './own-listeners.js';
