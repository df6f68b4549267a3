import { expect, it } from 'vitest';
import { refusedNamesText } from './refused-names.js';

const entry = (domain: string, isActive: boolean) => ({ domain, is_active: isActive });

it('names that worlds were refused are told of until an entry leads there, or a place of it is shown', () => {
  const refused = new Set(['a.example', 'b.example', 'c.example']);
  const text = refusedNamesText(
    refused,
    [entry('a.example', true), entry('b.example', false)],
    [{ host: 'c.example' }],
  );
  expect(text).toMatch(/^names that were refused in worlds: b\.example; `sub allow add NAME:443`/);
  expect(refusedNamesText(refused, [], [{ host: 'a.example' }])).toContain(': b.example, c.example;');
  expect(refusedNamesText(new Set(['a.example']), [entry('a.example', true)], [])).toBeUndefined();
});

it('of many names the first ones are told of, and as text', () => {
  const refused = new Set(['\u{1B}[2J', ...Array.from({ length: 6 }, (_, at) => `n${at}.example`)]);
  const text = refusedNamesText(refused, [], []);
  expect(text).toContain('n3.example, 2 others;');
  expect(text).not.toContain('\u{1B}');
});
