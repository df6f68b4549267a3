import { ADAPTER_ACTIONS, type AdapterAction } from '@subluminal/core-types';
import type { Attempt, ServiceAdapters } from './service-adapter.js';

/**
 * The table of adapters with `adapter_unavailable` for each action that has none: nothing pretends to have
 * succeeded.
 */
export function withUnavailable(adapters: Partial<ServiceAdapters>): ServiceAdapters {
  const rest = Object.fromEntries(
    ADAPTER_ACTIONS.map((action) => [action, { prepare: () => unavailable(action) }]),
  ) as Readonly<Record<AdapterAction, { prepare(): Attempt }>>;
  return { ...rest, ...adapters };
}

function unavailable(action: AdapterAction): Attempt {
  const message = `no adapter executes \`${action}\` yet, so nothing was done`;
  return {
    destination: undefined,
    accountName: undefined,
    execute: () => Promise.resolve({ kind: 'error', code: 'adapter_unavailable', message }),
  };
}
