import { PROJECT_FILE } from '@subluminal/core-types';
import { compilePolicy } from '@subluminal/policy';
import { expect, it } from 'vitest';
import { SMALLEST } from './trust.js';

it('the help has a policy of a project that can be trusted as it is', () => {
  const text = SMALLEST.slice(SMALLEST.indexOf(':\n') + 2);
  expect(compilePolicy(text, { format: 'yaml', filename: PROJECT_FILE })).toMatchObject({
    ok: true,
    warnings: [],
  });
});
