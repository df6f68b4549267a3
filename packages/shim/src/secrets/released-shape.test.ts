import { SecretsReleased, type JsonValue } from '@subluminal/core-types';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { releasedOf } from './released-shape.js';

const secret = fc.record(
  {
    inject_as: fc.oneof(fc.string(), fc.integer()),
    secret_ref: fc.oneof(fc.string(), fc.constant(null)),
    source: fc.oneof(fc.constantFrom('env', 'file', 'keychain', 'store', 'other'), fc.integer()),
    redact: fc.oneof(fc.boolean(), fc.string()),
    value: fc.oneof(fc.string(), fc.integer()),
    more: fc.string(),
  },
  { requiredKeys: [] },
);
const released = fc.record(
  {
    secrets: fc.oneof(
      fc.array(fc.oneof({ arbitrary: secret, weight: 9 }, { arbitrary: fc.string(), weight: 1 })),
      fc.string(),
    ),
    program: fc.oneof(fc.string(), fc.integer()),
    trust: fc.oneof(
      fc.record({ bundle: fc.string(), own: fc.oneof(fc.string(), fc.integer()), more: fc.string() }),
      fc.string(),
    ),
    pass: fc.oneof(fc.array(fc.string()), fc.array(fc.integer()), fc.string()),
    more: fc.string(),
  },
  { requiredKeys: [] },
);

describe('what the gateway releases', () => {
  it('is read as its schema reads it', () => {
    fc.assert(
      fc.property(fc.oneof(released, fc.jsonValue()), (value) => {
        const expected = SecretsReleased.safeParse(value);
        expect(releasedOf(value as JsonValue)).toEqual(expected.success ? expected.data : undefined);
      }),
      { numRuns: 500 },
    );
  });

  it('is what a server gets, in full', () => {
    const value = {
      secrets: [{ inject_as: 'TOKEN', secret_ref: 'token', source: 'store', redact: true, value: 'v' }],
      program: '/usr/bin/server',
      pass: ['PATH'],
      trust: { bundle: '/h/run/trust/bundle.pem', own: '/h/run/trust/own.pem' },
    };
    expect(releasedOf(value)).toEqual(value);
    expect(releasedOf({ ...value, secrets: [{ ...value.secrets[0], source: 'nowhere' }] })).toBeUndefined();
    expect(releasedOf(undefined)).toBeUndefined();
  });
});
