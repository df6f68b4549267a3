/** The complete public surface of @subluminal/daemon: named exports only. */
export { startGateway } from './compose/gateway.js';
export type { GatewayOptions } from './compose/options.js';
export type { Gateway } from './gateway.js';
export { serve } from './serve.js';
