import { ADAPTER_ACTIONS, type AdapterAction } from '@subluminal/core-types';
import type { ServiceAdapter } from './service-adapter.js';
import { unavailableAdapter } from './unavailable-adapter.js';

/** Finds the adapter of an action. */
export interface ServiceRegistry {
  adapterFor(action: AdapterAction): ServiceAdapter;
}

/**
 * One adapter for every action that adapters execute: the given ones, and for the rest one that answers `adapter_unavailable`.
 * Throws a plain `Error` if two adapters claim the same action, which is a mistake of composition.
 */
export function createServiceRegistry(adapters: readonly ServiceAdapter[]): ServiceRegistry {
  const byAction = new Map<AdapterAction, ServiceAdapter>();
  for (const adapter of adapters) {
    if (byAction.has(adapter.action)) throw new Error(`two adapters claim \`${adapter.action}\``);
    byAction.set(adapter.action, adapter);
  }
  for (const action of ADAPTER_ACTIONS) {
    if (!byAction.has(action)) byAction.set(action, unavailableAdapter(action));
  }
  return {
    adapterFor(action) {
      return byAction.get(action) ?? unavailableAdapter(action);
    },
  };
}
