import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { columnsOf } from './columns.js';
import { painter, wantsColour } from './style.js';
import { pairs, table, wrapped } from './table.js';

const plain = { paint: painter(false), width: Number.POSITIVE_INFINITY };

describe('table', () => {
  it('aligns columns to their widest cell', () => {
    const lines = table(
      [{ title: 'NAME' }, { title: 'N', align: 'right' }],
      [
        [{ text: 'a' }, { text: '1' }],
        [{ text: 'longer' }, { text: '1000' }],
      ],
      plain,
    );
    expect(lines).toEqual(['NAME       N', 'a          1', 'longer  1000']);
  });

  it('keeps a row on one line, whatever a cell holds', () => {
    const lines = table([{ title: 'TEXT' }], [[{ text: 'one\ntwo\u001b[2J' }]], plain);
    expect(lines).toEqual(['TEXT', 'one\\ntwo\\x1b[2J']);
  });

  it('colours the text and not the gaps', () => {
    const lines = table([{ title: 'A' }, { title: 'B' }], [[{ text: 'x', tone: 'good' }, { text: 'y' }]], {
      ...plain,
      paint: painter(true),
    });
    expect(lines[1]).toBe('\u001b[32mx\u001b[0m  y');
  });

  it('clips a cell that is wider than its column may be, on a terminal alone', () => {
    const columns = [{ title: 'T', max: 4 }, { title: 'U' }];
    const rows = [[{ text: 'abcdefgh' }, { text: 'u' }]];
    expect(table(columns, rows, { ...plain, width: 80 })[1]).toBe('abc…  u');
    expect(table(columns, rows, plain)).toEqual(['T     U', 'abcdefgh  u']);
  });

  it('clips the last column to the terminal, and others before it is nothing', () => {
    const row = [{ text: 'a'.repeat(10) }, { text: 'b'.repeat(40) }];
    const lastOf = (width: number) =>
      table([{ title: 'A' }, { title: 'B' }], [row], { ...plain, width })[1]?.slice(12);
    expect(lastOf(60)).toBe('b'.repeat(40));
    expect(lastOf(40)).toBe(`${'b'.repeat(27)}…`);
    const at = (width: number) =>
      table([{ title: 'A' }, { title: 'B', min: 15 }], [row], { ...plain, width })[1];
    expect(at(24)).toBe(`${'a'.repeat(10)}  ${'b'.repeat(11)}…`);
    expect(at(20)).toBe(`${'a'.repeat(10)}  ${'b'.repeat(7)}…`);
    expect(at(5)).toBe('a…  …');
  });

  it('takes room for the last column from those that may give some, the rearmost first', () => {
    const columns = [{ title: 'A' }, { title: 'B', min: 8 }, { title: 'C', min: 6 }, { title: 'D' }];
    const row = ['a', 'b', 'c', 'd'].map((letter) => ({ text: letter.repeat(10) }));
    const lineOf = (width: number) => table(columns, [row], { ...plain, width })[1];
    expect(lineOf(46)).toBe('aaaaaaaaaa  bbbbbbbbbb  cccccccccc  dddddddddd');
    expect(lineOf(44)).toBe('aaaaaaaaaa  bbbbbbbbbb  ccccccc…  dddddddddd');
    expect(lineOf(41)).toBe('aaaaaaaaaa  bbbbbbbb…  ccccc…  dddddddddd');
    expect(lineOf(30)).toBe('aaaaa…  bbbbb…  ccccc…  ddddd…');
  });
});

it('a path that has no room is cut behind one of its slashes', () => {
  const path = '/home/ada/.local/state/subluminal/heads.log';
  expect(wrapped(path, 36)).toEqual(['/home/ada/.local/state/subluminal/', 'heads.log']);
  expect(wrapped(`/a/${'b'.repeat(10)}`, 8)).toEqual(['/a/bbbbb', 'bbbbb']);
});

it('pairs align their values', () => {
  expect(
    pairs(
      [
        ['a', { text: '1' }],
        ['long', { text: '2' }],
      ],
      plain.paint,
    ),
  ).toEqual(['a     1', 'long  2']);
});

/** Texts that are wide, combine, colour, turn the direction, or are just long. */
const hostile = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.string({
    unit: fc.constantFrom('文', '🎉', 'e\u0301', '\u001b[31m', '\u202e', 'ab', ' ', '｡', '한'),
    maxLength: 60,
  }),
  fc.string({ unit: 'grapheme', maxLength: 60 }),
);

it('no line of a table is longer than the terminal, whatever its cells hold', () => {
  const column = fc.record(
    {
      title: fc.constantFrom('A', 'LONG TITLE', 'OUTCOME'),
      align: fc.constantFrom('left' as const, 'right' as const),
      min: fc.integer({ min: 1, max: 60 }),
      max: fc.integer({ min: 1, max: 100 }),
      cut: fc.constantFrom('end' as const, 'middle' as const),
      spare: fc.integer({ min: 0, max: 3 }),
    },
    { requiredKeys: ['title'] },
  );
  fc.assert(
    fc.property(
      fc.array(column, { minLength: 1, maxLength: 9 }),
      fc.array(fc.array(hostile, { minLength: 9, maxLength: 9 }), { maxLength: 3 }),
      fc.integer({ min: 40, max: 200 }),
      (columns, texts, width) => {
        const rows = texts.map((cells) => cells.map((text) => ({ text })));
        for (const line of table(columns, rows, { ...plain, width })) {
          expect(columnsOf(line)).toBeLessThanOrEqual(width);
          expect(line).not.toMatch(/[\p{Cc}\p{Cf}]/u);
        }
      },
    ),
  );
});

describe('wrapped', () => {
  it.each([
    ['one two three', 8, ['one two', 'three']],
    ['run `sub show 1` now', 14, ['run', '`sub show 1`', 'now']],
    ['a `b c d e f g h i` j', 8, ['a', '`b c d e', 'f g h', 'i` j']],
    ['abcdefghij', 4, ['abcd', 'efgh', 'ij']],
    ['short', 80, ['short']],
  ])('%j in %i columns keeps words, and commands where they fit', (text, columns, lines) => {
    expect(wrapped(text, columns)).toEqual(lines);
  });

  it('of a pair stands below its beginning', () => {
    const value = { text: 'aaaaaaaaaaaaaaa bbbbbbbbbbbbbbb ccccccccccccccc' };
    expect(pairs([['why', value]], plain.paint, 40)).toEqual([
      'why  aaaaaaaaaaaaaaa bbbbbbbbbbbbbbb',
      '     ccccccccccccccc',
    ]);
  });
});

describe('wantsColour', () => {
  it.each([
    [true, { noColor: false, term: 'xterm' }, true],
    [false, { noColor: false, term: 'xterm' }, false],
    [true, { noColor: true, term: 'xterm' }, false],
    [true, { noColor: false, term: 'dumb' }, false],
  ])('on a terminal (%s) with %j is %s', (isTty, environment, wanted) => {
    expect(wantsColour(isTty, environment)).toBe(wanted);
  });
});
