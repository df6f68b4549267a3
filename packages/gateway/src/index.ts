/** The complete public surface of @subluminal/gateway: named exports only. */
export { startGateway } from './compose/gateway.js';
export type { GatewayOptions } from './compose/options.js';
export type { Gateway } from './gateway.js';
export { serve } from './serve.js';
export { VERSION } from './version.js';
