import { SublError } from '@subluminal/core-types';
import { expect, it } from 'vitest';
import type { WorldTerms } from '../world-terms.js';
import { isStillAllowed } from './still-allowed.js';

const nothing = { find: () => undefined, names: () => undefined };
const noWorlds = { termsOf: () => undefined };
const opened = (listed: boolean, allowPrivate = false) => ({
  ask: { via: 'connect' as const, host: 'other.example', port: 443 },
  runId: 'r',
  decision: { listed, allow_private: allowPrivate, tls: true, plain: true, raw: true },
});

it('of a place whose entry does not say `--private`, `enforce` cuts what led to a private address, and nothing else', () => {
  const entry = { allow_private: false };
  const listing = { find: () => entry, names: () => entry } as never;
  expect(isStillAllowed(listing, noWorlds, opened(false, true) as never, 'observe')).toBe(true);
  expect(isStillAllowed(listing, noWorlds, opened(false, true) as never, 'enforce')).toBe(false);
  expect(isStillAllowed(listing, noWorlds, opened(true, false) as never, 'enforce')).toBe(true);
});

it.each([
  [false, 'observe', true],
  [false, 'enforce', false],
  [true, 'observe', false],
  [true, 'enforce', false],
] as const)(
  'of a place that no entry names (listed when opened: %s), `%s` lets it go on: %s',
  (listed, mode, goesOn) => {
    expect(isStillAllowed(nothing, noWorlds, opened(listed) as never, mode)).toBe(goesOn);
  },
);

it('of a world goes on as long as the settings of the world have it, whatever the mode is', () => {
  const entry = { allow_private: false };
  const listing = { find: () => entry, names: () => entry } as never;
  const ofWorld = {
    ...opened(true),
    ask: { via: 'world' as const, world_id: 'w', host: 'other.example', port: 443 },
  } as never;
  const refusal = (host: string): SublError | undefined =>
    host === 'other.example' ? new SublError('world_refused', 'no') : undefined;
  const worlds = (terms: Partial<WorldTerms> | undefined): never => ({ termsOf: () => terms }) as never;
  for (const mode of ['observe', 'enforce'] as const) {
    expect(isStillAllowed(listing, worlds({ refusal: () => undefined }), ofWorld, mode)).toBe(true);
    expect(isStillAllowed(listing, worlds({ refusal }), ofWorld, mode)).toBe(false);
    expect(isStillAllowed(listing, worlds(undefined), ofWorld, mode)).toBe(false);
  }
});
