import fc from 'fast-check';
import { expect, it } from 'vitest';
import { columnsOf } from './columns.js';
import { folded } from './folded.js';
import { painter, type Tone } from './style.js';

const paint = painter(true);
const ESCAPE = '\u001b';
const CODES = new RegExp(String.raw`${ESCAPE}\[[0-9]+m`, 'g');

it('a painted line is folded at blanks, as far in as it stands, each piece with its own colour', () => {
  expect(folded(`  ${paint('bad', 'one two')} ${paint('dim', 'three')}`, 9)).toEqual([
    '  \u001b[31mone two\u001b[0m',
    '  \u001b[2mthree\u001b[0m',
  ]);
  expect(folded(paint('bad', 'one two'), 4)).toEqual(['\u001b[31mone\u001b[0m', '\u001b[31mtwo\u001b[0m']);
  expect(folded('short', 5)).toEqual(['short']);
});

it('no piece is longer than the terminal, and nothing but blanks is lost', () => {
  const part = fc.record({
    text: fc.string({ unit: fc.constantFrom('a', 'b', ' ', '文', '🎉', 'e\u0301', '`'), maxLength: 40 }),
    tone: fc.constantFrom<Tone>('plain', 'bad', 'dim', 'bold'),
  });
  fc.assert(
    fc.property(fc.array(part, { maxLength: 6 }), fc.integer({ min: 4, max: 60 }), (parts, columns) => {
      const line = parts.map(({ text, tone }) => paint(tone, text)).join('');
      const pieces = folded(line, columns);
      for (const piece of pieces) expect(columnsOf(piece.replaceAll(CODES, ''))).toBeLessThanOrEqual(columns);
      const letters = (text: string): string => text.replaceAll(CODES, '').replaceAll(' ', '');
      expect(letters(pieces.join(''))).toBe(letters(line));
    }),
  );
});
