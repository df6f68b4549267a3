/** The complete public surface of @subluminal/shim: named exports only. */
export { DEFAULT_LIMITS, type SessionLimits } from './adapter/limits.js';
export { startGateway, type StartGatewayOptions } from './enrol/start-gateway.js';
export { runShim, type ShimOptions } from './run-shim.js';
