import { isSublError } from '@subluminal/core-types';
import { askOperator } from '../gateway/door.js';
import type { Call } from '../program/call.js';

/**
 * Has the gateway of the home sign a head over all that is durable. False where none runs: the head in the
 * file is then the newest there is.
 */
export async function signFreshHead(call: Call): Promise<boolean> {
  try {
    await askOperator(call.home, call.session.now, 'audit.checkpoint');
    return true;
  } catch (error) {
    if (isSublError(error, 'gateway_unreachable', 'key_missing', 'handshake_refused')) return false;
    throw error;
  }
}
