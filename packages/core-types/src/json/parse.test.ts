import { readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { SublError } from '../errors/subl-error.js';
import { canonicalize } from './canonicalize.js';
import { parseJson } from './parse.js';
import { StrictParser } from './strict-parser.js';
import { ExactNumber, isJsonObject } from './value.js';

const { valid, invalid } = z
  .object({
    valid: z.array(z.object({ name: z.string(), input: z.string(), canonical: z.string() })).min(20),
    invalid: z.array(z.object({ name: z.string(), input: z.string(), code: z.string() })).min(20),
  })
  .parse(
    JSON.parse(readFileSync(new URL('../../../../vectors/canonical-json.json', import.meta.url), 'utf8')),
  );

/** Both ways through the parser must agree on every text. */
const readers = [
  { reader: 'parseJson', read: (text: string) => parseJson(text) },
  { reader: 'the strict parser alone', read: (text: string) => new StrictParser(text, 64).parse() },
];

function codeOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    return error instanceof SublError ? error.code : String(error);
  }
  return 'no error';
}

describe.each(readers)('$reader', ({ read }) => {
  it.each(valid)('reads $name to its canonical text', ({ input, canonical }) => {
    expect(canonicalize(read(input))).toBe(canonical);
  });

  it.each(valid)('reads the canonical text of $name to itself', ({ canonical }) => {
    expect(canonicalize(read(canonical))).toBe(canonical);
  });

  it.each(invalid)('refuses $name', ({ input, code }) => {
    expect(codeOf(() => read(input))).toBe(code);
  });

  it('keeps __proto__ as a key of the object and not as its prototype', () => {
    const value = read('{"__proto__":{"isAdmin":true},"a":1}');
    if (!isJsonObject(value)) throw new Error('not an object');
    expect(Object.keys(value)).toEqual(['__proto__', 'a']);
    expect(value['isAdmin']).toBeUndefined();
  });
});

describe('the strict parser', () => {
  it('reads whatever stands between quotes as JSON.parse does, and refuses what it refuses and half surrogate pairs', () => {
    const piece = fc.constantFrom(
      'a',
      'é',
      '\u{1f600}',
      '\ud800',
      '\udc00',
      '\u0000',
      '\n',
      '"',
      '\\',
      '\\\\',
      '\\"',
      '\\/',
      '\\n',
      '\\x',
      '\\u0041',
      '\\ud83d',
      '\\ude00',
      '\\uD83D\\uDE00',
      '\\u00',
      '\\u{41}',
      ',',
      ']',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const text = `["${pieces.join('')}"]`;
        let expected: string[] | undefined;
        try {
          expected = z.array(z.string()).parse(JSON.parse(text));
        } catch {
          expected = undefined;
        }
        const ours = codeOf(() => expect(new StrictParser(text, 64).parse()).toEqual(expected));
        // UTF-8 replaces half of a surrogate pair.
        const fits = expected?.every((one) => Buffer.from(one).toString() === one) ?? false;
        expect(ours).toBe(fits ? 'no error' : 'invalid_json');
      }),
      { numRuns: 2000 },
    );
  });
});

describe('parseJson', () => {
  it('gives a number where a double holds the value, and an exact number where not', () => {
    expect(parseJson('[1.0,1e2,-0.0,0.1]')).toEqual([1, 100, 0, 0.1]);
    expect(parseJson('[9007199254740993]')).toEqual([new ExactNumber('9007199254740993')]);
    expect(parseJson('1e400')).toEqual(new ExactNumber('1e400'));
    expect(parseJson('1e-400')).toEqual(new ExactNumber('1e-400'));
  });

  it('never gives minus zero', () => {
    expect(Object.is(parseJson('-0'), 0)).toBe(true);
    expect(Object.is(parseJson('-0e3'), 0)).toBe(true);
  });

  it.each(['[', '{"a":', '[{"a":'])('refuses four million times `%s` without a stack overflow', (opening) => {
    expect(codeOf(() => parseJson(opening.repeat(4_000_000)))).toBe('too_deep');
  });

  it('refuses balanced hostile nesting before it builds it', () => {
    expect(codeOf(() => parseJson('['.repeat(2_000_000) + ']'.repeat(2_000_000)))).toBe('too_deep');
  });

  it('counts depth outside strings only', () => {
    const brackets = '[{'.repeat(100);
    expect(parseJson(JSON.stringify([`"${brackets}\\`, 'x']))).toEqual([`"${brackets}\\`, 'x']);
  });

  it('takes a smaller depth limit and refuses one outside 1 to 64', () => {
    expect(codeOf(() => parseJson('[[1]]', { maxDepth: 1 }))).toBe('too_deep');
    expect(parseJson('[1]', { maxDepth: 1 })).toEqual([1]);
    expect(() => parseJson('1', { maxDepth: 65 })).toThrow(RangeError);
    expect(() => parseJson('1', { maxDepth: 0 })).toThrow(RangeError);
  });

  it('gives a message that can be signed even where it quotes half of a key', () => {
    const key = `${'a'.repeat(39)}\u{1f600}`;
    expect(() => parseJson(`{"${key}":1,"${key}":2}`)).toThrow(`\`${'a'.repeat(39)}\ufffd\` stands twice`);
  });

  it('says where the text is wrong', () => {
    expect(() => parseJson('{"a":1,\n"a":2}')).toThrow(
      'invalid json at character 9: the key `a` stands twice',
    );
  });

  it('agrees with JSON.parse wherever a text of JSON.stringify has no rounded number', () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
        const text = JSON.stringify(value);
        for (const { read } of readers) expect(JSON.stringify(read(text))).toBe(text);
      }),
    );
  });

  it('agrees with itself on any text whichever way it takes', () => {
    const pieces = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"',
      '\\',
      'a',
      '"a"',
      '1',
      '-',
      '0',
      '.',
      'e',
      ' ',
      'null',
      '\\u00',
      '\\ud8',
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 12 }), (parts) => {
        const text = parts.join('');
        const [quick, strict] = readers.map(({ read }) => {
          try {
            return canonicalize(read(text));
          } catch (error) {
            return error instanceof SublError ? error.message : error;
          }
        });
        expect(quick).toEqual(strict);
      }),
      { numRuns: 2000 },
    );
  });

  it('accepts nothing that JSON.parse refuses', () => {
    fc.assert(
      fc.property(
        fc.json({ noUnicodeString: false }),
        fc.nat(),
        fc.string({ maxLength: 1 }),
        (json, at, letter) => {
          const place = at % (json.length + 1);
          const text = json.slice(0, place) + letter + json.slice(place + 1);
          fc.pre(codeOf(() => parseJson(text)) === 'no error');
          expect(() => JSON.parse(text)).not.toThrow();
        },
      ),
      { numRuns: 1000 },
    );
  });
});
