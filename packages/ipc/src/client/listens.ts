import { isSublError } from '@subluminal/core-types';
import { dial } from '../connect.js';

/**
 * Tells whether anything accepts connections on the socket; whether it is our gateway only a handshake shows.
 */
export async function gatewayListens(socketPath: string, timeoutMs = 1000): Promise<boolean> {
  try {
    (await dial(socketPath, timeoutMs)).destroy();
    return true;
  } catch (error) {
    if (isSublError(error, 'gateway_unreachable')) return false;
    throw error;
  }
}
