import { expect, it } from 'vitest';
import { isStillAllowed } from './still-allowed.js';

const nothing = { find: () => undefined, names: () => undefined };
const opened = (listed: boolean) => ({
  ask: { via: 'connect' as const, host: 'other.example', port: 443 },
  decision: { listed, allowPrivate: false, tls: true, plain: true, raw: true },
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
