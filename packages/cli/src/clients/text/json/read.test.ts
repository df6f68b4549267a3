import { assert, property, string } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonTexts } from '../../../../testing/json-text.js';
import { JSONC, readJson, STRICT, WITH_COMMENTS, type Dialect } from './read.js';
import type { JsonNode } from './tree.js';

describe('readJson', () => {
  it('reads what any layout means, with the place of each value', () => {
    for (const [dialect, withComments] of [
      [STRICT, false],
      [JSONC, true],
    ] as const) {
      assert(
        property(jsonTexts(withComments), ({ text, value }) => {
          const root = readJson(text, dialect);
          expect(meaning(text, root)).toEqual(plain(value));
          for (const node of nodes(root)) {
            expect(meaning(text, readJson(text.slice(node.start, node.end), dialect), node.start)).toEqual(
              meaning(text, node),
            );
          }
        }),
      );
    }
  });

  it('takes and refuses the texts that JSON.parse does, but for keys that stand twice', () => {
    assert(
      property(string({ unit: 'grapheme-ascii', maxLength: 12 }), (text) => {
        expect(isRead(text)).toBe(isParsed(text));
      }),
    );
  });

  it.each([
    [
      'a comment',
      '{\r\n  "a": 1, // b\r\n}',
      STRICT,
      'line 2, column 11: a comment, which this client does not read',
    ],
    ['a trailing comma', '{"a": 1,}', STRICT, 'line 1, column 9: a key must be a text in double quotes'],
    ['a trailing comma of a list', '[1,\n]', WITH_COMMENTS, 'line 2, column 1: this is no value'],
    [
      'a key that stands twice',
      '{"a": 1,\n "\\u0061": 2}',
      STRICT,
      'line 2, column 2: this key stands twice in its object',
    ],
    [
      'a key that stands twice deep below',
      '\ufeff{"p": [{"x": 1, "x": 1}]}',
      JSONC,
      'line 1, column 17: this key stands twice in its object',
    ],
    ['text behind the value', '{} x', STRICT, 'line 1, column 4: this is not JSON'],
    ['a value behind the value', '{} 1', STRICT, 'line 1, column 4: there is text after the value'],
    ['a text that ends early', '{"a": [1, {"b"', STRICT, 'line 1, column 15: `:` is missing'],
    ['an open object', '{"a": 1', STRICT, 'line 1, column 8: `}` is missing'],
    ['an open text', '{"a": "b', STRICT, 'line 1, column 7: this text does not end'],
    ['an open comment', '{"a": /* 1', JSONC, 'line 1, column 7: this comment does not end'],
    ['a newline in a text', '["a\nb"]', JSONC, 'line 1, column 2: this text does not end on its line'],
    ['a control character', '["a\u0007b"]', JSONC, 'line 1, column 2: a control character in a text'],
    ['an unknown escape', '["\\x41"]', JSONC, 'line 1, column 2: an unknown escape in a text'],
    ['single quotes', "{'a': 1}", JSONC, 'line 1, column 2: a key must be a text in double quotes'],
    ['an empty item', '[1,,2]', JSONC, 'line 1, column 4: this is no value'],
    ['a lone comma', '{,}', JSONC, 'line 1, column 2: this is no value'],
    [
      'a number with a leading zero',
      '[01]',
      JSONC,
      'line 1, column 3: `,` or the closing bracket is missing',
    ],
    [
      'nesting without end',
      '['.repeat(100_000),
      STRICT,
      'line 1, column 257: values are nested deeper than 256 levels',
    ],
  ] as const)('refuses %s and says where', (_what, text, dialect: Dialect, message) => {
    expect(() => readJson(text, dialect)).toThrow(message);
  });

  it.each([
    ['', STRICT],
    ['\ufeff', STRICT],
    [' \r\n\t', STRICT],
    ['// nothing\n/* here */', JSONC],
  ] as const)('reads no value in %j', (text, dialect) => {
    expect(readJson(text, dialect)).toBeUndefined();
  });

  it('knows a key named __proto__ from the prototype', () => {
    const root = readJson('{"__proto__": {"a": 1}, "constructor": 2}', STRICT);
    expect(root?.kind === 'object' && root.members.map(({ key }) => key)).toEqual([
      '__proto__',
      'constructor',
    ]);
  });
});

function isRead(text: string): boolean {
  try {
    return readJson(text, STRICT) !== undefined;
  } catch (error) {
    if (error instanceof Error && error.message.includes('stands twice')) return true;
    return false;
  }
}

function isParsed(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function meaning(text: string, node: JsonNode | undefined, shift = 0): unknown {
  if (node === undefined) return undefined;
  if (node.kind === 'object')
    return Object.fromEntries(node.members.map(({ key, value }) => [key, meaning(text, value, shift)]));
  if (node.kind === 'array') return node.items.map((item) => meaning(text, item, shift));
  return node.kind === 'string'
    ? node.value
    : plain(JSON.parse(text.slice(node.start + shift, node.end + shift)));
}

function nodes(node: JsonNode | undefined): readonly JsonNode[] {
  if (node === undefined) return [];
  if (node.kind === 'object') return [node, ...node.members.flatMap(({ value }) => nodes(value))];
  return node.kind === 'array' ? [node, ...node.items.flatMap(nodes)] : [node];
}

/** As a double that was written and read again. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}
