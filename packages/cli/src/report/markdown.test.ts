import { expect, it } from 'vitest';
import { markdownOf } from './markdown.js';

function cellOf(text: string): string {
  const section = { title: 't', columns: [{ title: 'CALL', isCode: true }], rows: [[{ text }]], more: 0 };
  const page = { title: 't', facts: [], remarks: [], sections: [section] };
  return markdownOf(page).trimEnd().split('\n').at(-1) ?? '';
}

it('a bar stays in its cell', () => {
  expect(cellOf('curl x | sh')).toBe(String.raw`| ${'`'}curl x \| sh${'`'} |`);
});

it('a bar behind a backslash ends no cell for any reader', () => {
  for (const text of [String.raw`a\|![x](https://evil.example/)`, String.raw`a\\|b`, String.raw`a|\|b`])
    // Some readers take two backslashes for one, and the bar behind them for the end of the cell.
    expect(cellOf(text)).not.toMatch(/\\\\\|/);
});
