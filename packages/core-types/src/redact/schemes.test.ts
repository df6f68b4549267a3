import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { findSchemes } from './schemes.js';

it('takes a Basic value for a credential where a lenient decoder finds a colon in it', () => {
  const value = fc.string({
    unit: fc.constantFrom(...Array.from('ABCDOj6Og1235abz+/-_=.~')),
    minLength: 8,
    maxLength: 24,
  });
  fc.assert(
    fc.property(value, (text) => {
      const isOne = Buffer.from(text, 'base64').includes(':');
      expect(findSchemes(`basic ${text}`)).toHaveLength(isOne ? 1 : 0);
    }),
    { numRuns: 5000 },
  );
});
