import { ADAPTER_ACTIONS } from '@subluminal/core-types';
import { expect, it } from 'vitest';
import type { Attempt } from './service-adapter.js';
import { withUnavailable } from './unavailable.js';

it('an action without an adapter answers adapter_unavailable and opens nothing', async () => {
  const adapters = withUnavailable({});
  expect(Object.keys(adapters).toSorted()).toEqual([...ADAPTER_ACTIONS].toSorted());
  for (const action of ADAPTER_ACTIONS) {
    const adapter = adapters[action] as unknown as { prepare(): Attempt };
    const attempt = adapter.prepare();
    expect([attempt.destination, attempt.accountName]).toEqual([undefined, undefined]);
    const { signal } = new AbortController();
    const limits = { timeoutMs: 1000, maxResponseBytes: 1000 };
    const call = { runId: null, requestId: 'one', destination: undefined, signal, limits };
    expect(await attempt.execute(call)).toEqual({
      kind: 'error',
      code: 'adapter_unavailable',
      message: `no adapter executes \`${action}\` yet, so nothing was done`,
    });
  }
});

it('an action keeps the adapter that it has', () => {
  const adapter = {
    prepare: () => {
      throw new Error('nobody asks it');
    },
  };
  expect(withUnavailable({ 'health.fetch': adapter })['health.fetch']).toBe(adapter);
});
