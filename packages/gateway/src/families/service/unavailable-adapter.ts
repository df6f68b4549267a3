import type { AdapterAction } from '@subluminal/core-types';
import type { ServiceAdapter } from './service-adapter.js';

/**
 * The adapter of an action that nothing executes yet. It opens no connection and answers `adapter_unavailable`:
 * nothing pretends to have succeeded.
 */
export function unavailableAdapter(action: AdapterAction): ServiceAdapter {
  return {
    action,
    destination: () => undefined,
    execute: () =>
      Promise.resolve({
        kind: 'error',
        code: 'adapter_unavailable',
        message: `no adapter executes \`${action}\` yet, so nothing was done`,
      }),
  };
}
