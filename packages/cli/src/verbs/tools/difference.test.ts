import { expect, it } from 'vitest';
import { differenceLines } from './difference.js';

it('begins each line of a definition with a sign, so that none is a command of a CI system', () => {
  const before = { name: 't', description: '::error::same\n##[error]same\nold', '::stop-commands::x': 1 };
  const held = {
    server_name: 'fs',
    tool_name: 't',
    hash: 'h',
    reason: { kind: 'changed', members: ['description'] },
    before,
    after: {
      ...before,
      description: '::error::same\n##[error]same\n::error::new',
      '::stop-commands::x': 2,
    },
  };
  const lines = differenceLines(held, (_tone, text) => text);
  expect(lines).toContain('  | ::error::same');
  expect(lines).toContain('  | #\\x23[error]same');
  expect(lines).toContain('  + ::error::new');
  expect(lines).toContain('  @@ ::stop-commands::x');
  expect(lines.filter((line) => /^\s*::|##/.test(line))).toEqual([]);
});
