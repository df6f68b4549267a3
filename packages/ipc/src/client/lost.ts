import { SublError } from '@subluminal/core-types';

/** Whatever ends a connection means the same to a caller: there is no gateway, so there is no permission. */
export function lost(message: string, cause?: unknown): SublError {
  return new SublError('gateway_unreachable', message, {
    help: 'run `sub status` to see whether the gateway runs',
    ...(cause === undefined ? {} : { cause }),
  });
}
