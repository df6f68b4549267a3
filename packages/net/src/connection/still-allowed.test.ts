import { expect, it } from 'vitest';
import { isStillAllowed } from './still-allowed.js';

const nothing = { find: () => undefined, names: () => undefined };
const opened = (listed: boolean, allowPrivate = false) => ({
  ask: { via: 'connect' as const, host: 'other.example', port: 443 },
  decision: { listed, allow_private: allowPrivate, tls: true, plain: true, raw: true },
});

it('of a place whose entry does not say `--private`, `enforce` cuts what led to a private address, and nothing else', () => {
  const entry = { allow_private: false };
  const listing = { find: () => entry, names: () => entry } as never;
  expect(isStillAllowed(listing, opened(false, true) as never, 'observe')).toBe(true);
  expect(isStillAllowed(listing, opened(false, true) as never, 'enforce')).toBe(false);
  expect(isStillAllowed(listing, opened(true, false) as never, 'enforce')).toBe(true);
});

it.each([
  [false, 'observe', true],
  [false, 'enforce', false],
  [true, 'observe', false],
  [true, 'enforce', false],
] as const)(
  'of a place that no entry names (listed when opened: %s), `%s` lets it go on: %s',
  (listed, mode, goesOn) => {
    expect(isStillAllowed(nothing, opened(listed) as never, mode)).toBe(goesOn);
  },
);
