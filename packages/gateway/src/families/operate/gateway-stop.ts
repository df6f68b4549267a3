import type { ActionOf } from '../../pipeline/steps.js';
import { operate } from './operate.js';

/** `gateway.stop`. `stopSoon` begins the shutdown; the answer to this request is still sent. */
export function gatewayStop(stopSoon: () => void): ActionOf<'gateway.stop'> {
  return operate(() => {
    stopSoon();
    return { pid: process.pid };
  });
}
