/** The complete public surface of @subluminal/gateway: named exports only. */
export { startGateway, type GatewayOptions } from './compose.js';
export type { Gateway } from './gateway.js';
export { serve } from './serve.js';
export { VERSION } from './version.js';
