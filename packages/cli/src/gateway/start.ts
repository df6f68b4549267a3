import { isErrorCode, isSublError, SublError } from '@subluminal/core-types';
import { startGateway } from '@subluminal/shim';
import { readSettings } from '../home/settings.js';
import type { Call } from '../program/call.js';

/**
 * Makes sure that a gateway serves the home, and waits for it. `asked`: by `sub up`; `automatic`: by a verb
 * that needs one, which starts it only where `autostart` is on. `start`: another way to start it, where the
 * lock is held. Tells whether it was started. Errors: those of `startGateway`, and the gateway's own reason
 * not to start, such as `config_invalid` or `not_available`.
 */
export async function ensureGateway(
  call: Call,
  why: 'asked' | 'automatic',
  start = startGateway,
): Promise<boolean> {
  if (why === 'automatic' && !readSettings(call.home).autostart) return false;
  try {
    return (await start({ paths: call.home, entry: call.session.gatewayProgram })) === 'started';
  } catch (error) {
    throw ownReason(error) ?? error;
  }
}

/** A gateway that refuses to start says why in its last line: `code: message`. */
function ownReason(error: unknown): SublError | undefined {
  const said = isSublError(error, 'gateway_unreachable') ? error.details?.['said'] : undefined;
  return typeof said === 'string' ? reasonIn(said, 'the gateway does not start', error) : undefined;
}

/**
 * The reason in the last line that the gateway's program printed, behind `what`. Undefined where it gives
 * none.
 */
export function reasonIn(said: string, what: string, cause: unknown): SublError | undefined {
  const line = said.split('\n').at(-1) ?? '';
  const colon = line.indexOf(': ');
  const code = line.slice(0, Math.max(0, colon));
  if (!isErrorCode(code)) return undefined;
  const text = line.slice(colon + 2);
  // Its own help stands in brackets at the end.
  const [, message = text, help = 'run `sub doctor`'] = /^(.*) \(([^()]*)\)$/.exec(text) ?? [];
  return new SublError(code, `${what}: ${message}`, { cause, help });
}
