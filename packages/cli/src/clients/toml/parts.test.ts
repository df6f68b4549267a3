import { describe, expect, it } from 'vitest';
import { readDocument } from './document.js';
import { editToml } from './edit.js';
import { partsOf } from './parts.js';

/** The text of the part that a value is changed in, undefined where the whole document is looked at. */
function part(text: string, ...path: readonly string[]): string | undefined {
  const found = partsOf(readDocument(text))(path);
  return found === undefined ? undefined : text.slice(found.start, found.end);
}

describe('the part of a document that holds a table', () => {
  it('is its sections with all that stands between them and the next', () => {
    const text = '# top\n[m.a] # a\nk = 1\n\n[m.a.env]\nx = 1\n# of b\n[m.b]\nk = 1\n[z]\n';
    expect(part(text, 'm', 'a', 'k')).toBe('[m.a] # a\nk = 1\n\n[m.a.env]\nx = 1\n# of b\n');
    expect(part(text, 'm', 'b', 'k')).toBe('[m.b]\nk = 1\n');
  });

  it.each([
    ['at the end of the text', '[m.a]\nk = 1\n'],
    ['apart', '[m.a]\nk = 1\n[m.b]\n[m.a.env]\nx = 1\n[z]\n'],
    ['apart in three', '[m.a]\n[m.b]\n[m.a.e]\n[m.c]\n[m.a.f]\n[z]\n'],
    ['by a dotted key above', '[m]\na.k = 1\n[m.a.e]\nx = 1\n[z]\n'],
    ['inline', 'm.a = { k = 1 }\n[z]\n'],
    ['in the inline table of the first level', 'm = { a = { k = 1 } }\n[z]\n'],
    ['in a list of tables', '[[m.a]]\nk = 1\n[z]\n'],
    ['nowhere', '[m.b]\nk = 1\n[z]\n'],
  ])('is not sure where it stands %s', (_, text) => {
    expect(part(text, 'm', 'a', 'k')).toBeUndefined();
  });

  it('changes as the whole does, whatever stands around it', () => {
    const server = (name: string, end: string): string =>
      `  [m.${name}]${end}  k = 1 # c${end}${end}[m.${name}.env]${end}x = 1${end}`;
    for (const end of ['\n', '\r\n']) {
      const [a, b] = [server('a', end), server('b', end)];
      const changes = ['a', 'b'].flatMap((name) => [
        { path: ['m', name, 'k'], source: '2' },
        { path: ['m', name, 'new'], source: '[3]', after: ['m', name, 'k'] },
        { path: ['m', name, 'env', 'x'], source: undefined },
      ]);
      const changed = (of: string): string =>
        of
          .replace('k = 1', 'k = 2')
          .replace(`# c${end}`, `# c${end}  new = [3]${end}`)
          .replace(`x = 1${end}`, '');
      for (const [before, after] of [
        ['', `[z]${end}`],
        [`\uFEFF# top${end}`, `[m.c]${end}k = 1`],
        [`q = 1${end}[m]${end}c.k = 1${end}`, ''],
      ] as const) {
        expect(editToml(before + a + b + after, changes)).toBe(before + changed(a) + changed(b) + after);
      }
    }
  });
});
