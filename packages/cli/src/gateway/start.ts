import { startGateway } from '@subluminal/shim';
import { readSettings } from '../config/settings.js';
import type { Call } from '../program/call.js';

/**
 * Makes sure that a gateway serves the home, and waits for it. `asked`: by `sub up`; `automatic`: by a verb that needs
 * one, which starts it only where `autostart` is on. Tells whether it was started. Errors: `config_invalid`,
 * `gateway_unreachable`, those of `startGateway`.
 */
export async function ensureGateway(call: Call, why: 'asked' | 'automatic'): Promise<boolean> {
  if (why === 'automatic' && !readSettings(call.home).autostart) return false;
  return (await startGateway({ paths: call.home, entry: call.session.gatewayProgram })) === 'started';
}
