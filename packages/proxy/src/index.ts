/** The complete public surface of @subluminal/proxy: named exports only. */
export { Authorities } from './authority/authorities.js';
export { AuthorityStore } from './authority/authority-store.js';
export { Tokens } from './client/tokens.js';
export { ProxyDoor } from './door.js';
export { Automata } from './inspect/automata.js';
export { Injector } from './inspect/injector.js';
export { FIXED_LIMITS } from './limits.js';
export type { ProxyLimits } from './limits.js';
export { ProxyPortStore } from './port-store.js';
export { ProxyServing } from './proxy.js';
export type { WorldAsk } from './proxy.js';
export { PROXY_TABLES } from './tables.js';
