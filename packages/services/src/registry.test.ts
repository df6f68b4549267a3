import { describe, expect, it } from 'vitest';
import { checkAddresses, Dialer, parseDestination } from '@subluminal/egress';
import { createApiCallAdapter } from './api-call/api-call-adapter.js';
import { createServiceRegistry } from '@subluminal/gateway';

const UNAVAILABLE = [
  'email.fetch',
  'email.send',
  'email.draft',
  'calendar.fetch',
  'calendar.create',
  'calendar.update',
  'finance.fetch_transactions',
  'health.fetch',
] as const;

describe('the service registry', () => {
  it('gives the adapter of an action', () => {
    const adapter = createApiCallAdapter({
      dialer: new Dialer(),
      accounts: { all: () => [], secretOf: () => '' },
    });
    expect(createServiceRegistry([adapter]).adapterFor('service.api_call')).toBe(adapter);
  });

  it.each(UNAVAILABLE)('answers adapter_unavailable for %s, and opens nothing', async (action) => {
    const adapter = createServiceRegistry([]).adapterFor(action);
    expect(adapter.destination({})).toBeUndefined();
    const destination = checkAddresses(
      parseDestination('https://api.example.com/'),
      ['93.184.216.34'],
      false,
    );
    const limits = { timeoutMs: 1_000, maxResponseBytes: 1_000 };
    const call = {
      runId: null,
      requestId: 'request-1',
      redirectedFrom: [],
      payload: {},
      destination,
      signal: new AbortController().signal,
      limits,
    };
    expect(await adapter.execute(call)).toEqual({
      kind: 'error',
      code: 'adapter_unavailable',
      message: `no adapter executes \`${action}\` yet, so nothing was done`,
    });
  });

  it('refuses two adapters for one action', () => {
    const adapter = createApiCallAdapter({
      dialer: new Dialer(),
      accounts: { all: () => [], secretOf: () => '' },
    });
    expect(() => createServiceRegistry([adapter, adapter])).toThrowError(
      'two adapters claim `service.api_call`',
    );
  });
});
