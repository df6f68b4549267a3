import fc from 'fast-check';
import { expect, test } from 'vitest';
import { foldName, hasOtherReadings } from './names.js';

const letters = fc.string({
  unit: fc.constantFrom(...Array.from('aZ0_$./-% ~!\0\u007fſKıİＡ\u00ad\u0307é')),
  maxLength: 6,
});

test('a name that is folded at a glance folds to itself in full', () => {
  fc.assert(
    fc.property(letters, (name) => {
      const end = name.indexOf('\0');
      const read = end < 0 ? name : name.slice(0, end);
      expect(foldName(name)).toBe(read.toUpperCase().toLowerCase().replaceAll('\u0307', ''));
    }),
    { numRuns: 2000 },
  );
});

test('a text that is plain at a glance has no other reading in full', () => {
  fc.assert(
    fc.property(letters, (text) => {
      const others =
        /[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/u.test(text) ||
        /%[0-9A-Fa-f]{2}/.test(text) ||
        text.normalize('NFKC').trim() !== text;
      expect(hasOtherReadings(text)).toBe(others);
    }),
    { numRuns: 2000 },
  );
});

test.each(['delete\ufe0f', 'delete\u{e0101}', 'de\u034flete', '\u3164delete'])(
  'a name that only looks plain has other readings: %j',
  (name) => expect(hasOtherReadings(name)).toBe(true),
);
