import fc from 'fast-check';
import { expect, test } from 'vitest';
import { foldName, hasOtherReadings, isReadAsAnother, shownName } from './names.js';

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

test.each([
  '__proto__',
  'path\0',
  'pa\0th',
  'force\u200b',
  '\u202eecrof',
  'fo\u00adrce',
  'path\ufe0f',
  '\uff50ath',
  '\uff76',
  '\ufb01le',
  'na\u00a0me',
  'cafe\u0301',
  '%70ath',
  'path%00',
  'path ',
  ' path',
  '\tpath',
  'path[]',
  'path[0]',
  'path[a][b]',
])('a name that some servers read as another is told: %j', (name) => {
  expect(isReadAsAnother(name)).toBe(true);
});

test.each([
  '',
  'path',
  'user.name',
  '@type',
  '$ref',
  'x-y',
  'a/b',
  'Full Name',
  '100%',
  '[path]',
  'a[0',
  'caf\u00e9',
  '\u540d\u79f0',
  '\u0e08\u0e33\u0e19\u0e27\u0e19',
  '\u0587',
  '\u0646\u0627\u0645',
  '\u0928\u093e\u092e',
  '\ud55c\uae00',
  '\u30ab',
  '\u{1f600}',
  'proto',
  'constructor',
])('a name that every server reads as itself is let be: %j', (name) => {
  expect(isReadAsAnother(name)).toBe(false);
});

test('a name beyond ascii that no tool declares, for its length, is not normalised but taken for another', () => {
  expect(isReadAsAnother('é'.repeat(512))).toBe(false);
  expect(isReadAsAnother('é'.repeat(513))).toBe(true);
  expect(isReadAsAnother('x'.repeat(513))).toBe(false);
  // Marks of falling class, one behind the other: to sort these took three quarters of a minute.
  expect(isReadAsAnother(`a${'\u0316\u0301'.repeat(240_000)}`)).toBe(true);
});

test('a name is shown with what cannot be seen in it', () => {
  expect(shownName('pa\u200bth\0\uff50')).toBe('pa\\u{200b}th\\u{0}\\u{ff50}');
  expect(shownName('x'.repeat(100))).toBe('x'.repeat(40));
});
