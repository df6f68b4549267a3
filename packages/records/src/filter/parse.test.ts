import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FILTER_KEYS, filterText, parseFilter, type ParsedFilter } from './parse.js';

const terms = (text: string): unknown => {
  const read = parseFilter(text);
  return read.ok ? read.terms.map(({ key, not, values }) => [not ? `-${key}` : key, ...values]) : read;
};

describe('a filter', () => {
  it.each([
    ['', []],
    ['  \t ', []],
    ['server:github', [['server', 'github']]],
    ['SERVER:github', [['server', 'github']]],
    [
      'decision:block,hint -tool:list_*',
      [
        ['decision', 'block', 'hint'],
        ['-tool', 'list_*'],
      ],
    ],
    ['"drop table"', [['any', 'drop table']]],
    ['text:"a \\"b\\", c",d', [['text', 'a "b", c', 'd']]],
    [
      'took:>2s -size:<4k',
      [
        ['took', '>2s'],
        ['-size', '<4k'],
      ],
    ],
    ['-', [['any', '-']]],
    ['-x', [['-any', 'x']]],
    ['1:2', [['any', '1:2']]],
    ['https://a.example/x', { ok: false, message: expect.stringContaining('no `https:`'), at: 0 }],
    ['server:', { ok: false, message: '`server:` says nothing', at: 7 }],
    ['a,,b', { ok: false, message: 'a word is missing', at: 2 }],
    ['x text:"ab', { ok: false, message: 'the quotes are not closed', at: 7 }],
    ['"a"b', { ok: false, message: 'a space or a comma is missing behind the quotes', at: 3 }],
    ['foo:bar', { ok: false, message: expect.stringContaining('there is no `foo:`'), at: 0 }],
  ])('%j is read', (text, expected) => {
    expect(terms(text)).toEqual(expected);
  });

  it('comes back out of its text', () => {
    const value = fc.string({ minLength: 1, maxLength: 20 });
    const term = fc.record({
      key: fc.constantFrom(...FILTER_KEYS),
      not: fc.boolean(),
      values: fc.array(value, { minLength: 1, maxLength: 3 }),
    });
    fc.assert(
      fc.property(fc.array(term, { maxLength: 5 }), (given) => {
        const read = parseFilter(filterText(given));
        const got = read.ok ? read.terms.map(({ key, not, values }) => ({ key, not, values })) : read;
        expect(got).toEqual(given);
      }),
    );
  });

  it('is read to its end or to its mistake, whatever it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
        const read: ParsedFilter = parseFilter(text);
        if (!read.ok) expect(read.at).toBeLessThanOrEqual(text.length);
      }),
    );
  });

  it.each([
    ['signs', 'x'.repeat(2049)],
    ['terms', 'a '.repeat(33)],
    ['values', `server:${'a,'.repeat(33)}a`],
  ])('has a bound on its %s', (_what, text) => {
    expect(parseFilter(text)).toMatchObject({ ok: false });
  });
});
