/** The complete public surface of @subluminal/proxy: named exports only. */
export { Authorities } from './authority/authorities.js';
export { ProxyDoor } from './door.js';
export type { ProxyDoorState } from './door.js';
export { Automata } from './inspect/automata.js';
export { Injector } from './inspect/injector.js';
export { FIXED_LIMITS } from './limits.js';
export type { ProxyLimits } from './limits.js';
export { ProxyServing } from './proxy.js';
export { isStillAllowed } from './judge/still-allowed.js';
export { Tokens } from './client/tokens.js';
export { AuthorityStore } from './authority/authority-store.js';
export { ProxyPortStore } from './port-store.js';
export { PROXY_TABLES } from './tables.js';
