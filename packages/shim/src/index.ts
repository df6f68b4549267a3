/** The complete public surface of @subluminal/shim: named exports only. */
export { connectOrStart } from './enrol/connect-or-start.js';
export { GATEWAY_NODE_OPTIONS, startGateway, startUnderLock, withStartLock } from './enrol/start-gateway.js';
export { runShim } from './run-shim.js';
export { readKeychain, removeKeychain, writeKeychain } from './keychain/keychain.js';
