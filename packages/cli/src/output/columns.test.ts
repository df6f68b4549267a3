import { describe, expect, it } from 'vitest';
import { columnsOf } from './columns.js';
import { clip, clipMiddle } from './escape.js';
import { painter } from './style.js';
import { table, wrapped } from './table.js';

describe('the columns of a text', () => {
  it.each([
    ['plain', 5],
    ['日本語.txt', 10],
    ['한국', 4],
    ['ｆｕｌｌ', 8],
    ['café', 4],
    ['cafe\u0301', 4],
    ['🙂', 2],
    ['עברית', 5],
    ['…', 1],
  ])('of `%s` are %i', (text, columns) => {
    expect(columnsOf(text)).toBe(columns);
  });

  it('bound what is cut, at its end and in its middle', () => {
    const text = '/home/山田/資料/報告書.txt';
    for (let width = 1; width < 30; width += 1) {
      expect(columnsOf(clip(text, width))).toBeLessThanOrEqual(width);
      expect(columnsOf(clipMiddle(text, width))).toBeLessThanOrEqual(width);
    }
    expect(clipMiddle(text, 12)).toBe('/home/….txt');
  });

  it('bound the lines of a wrapped text', () => {
    expect(wrapped('日本語のとても長い文', 8)).toEqual(['日本語の', 'とても長', 'い文']);
  });
});

it('a table of wide characters is aligned, and stays in its terminal', () => {
  const lines = table(
    [{ title: 'NAME', min: 6 }, { title: 'WHAT', cut: 'middle', max: 60 }, { title: 'END' }],
    [
      [{ text: '日本語日本語日本語' }, { text: 'short' }, { text: 'x' }],
      [{ text: 'a' }, { text: 'b'.repeat(70) }, { text: 'y'.repeat(30) }],
    ],
    { paint: painter(false), width: 90 },
  );
  for (const line of lines) expect(columnsOf(line)).toBeLessThanOrEqual(90);
  expect(lines[2]).toMatch(/^a {6,}b+…b+ {2}y+…$/);
});

it('a table leaves out what is spare where there is no room for it', () => {
  const columns = [{ title: 'A' }, { title: 'B', spare: 1 }, { title: 'C', spare: 2 }, { title: 'D' }];
  const rows = [['aaaa', 'bbbb', 'cccc', 'dddd'].map((text) => ({ text }))];
  const heading = (width: number) => table(columns, rows, { paint: painter(false), width })[0];
  expect(heading(22)).toBe('A     B     C     D');
  expect(heading(21)).toBe('A     B     D');
  expect(heading(15)).toBe('A     D');
});
