import { assert, property, string } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clip, escapeJson, escapeText } from './escape.js';

describe('escapeText', () => {
  it.each([
    ['an escape sequence', 'a\u001b[31mred', 'a\\x1b[31mred'],
    ['a carriage return', 'safe\rrm -rf', 'safe\\rrm -rf'],
    ['newlines and tabs', 'one\ntwo\tthree', 'one\\ntwo\\tthree'],
    ['a bell and a backspace', '\u0007\u0008', '\\x07\\x08'],
    ['DEL and a C1 introducer', '\u007f\u009b31m', '\\x7f\\x9b31m'],
    ['a right-to-left override', 'user\u202egpj.exe', 'user\\u202egpj.exe'],
    ['a directional isolate', '\u2066x\u2069', '\\u2066x\\u2069'],
    ['a zero-width space and a byte order mark', 'a\u200bb\ufeff', 'a\\u200bb\\ufeff'],
    ['line and paragraph separators', 'a\u2028b\u2029', 'a\\u2028b\\u2029'],
    ['invisible tag characters', 'x\u{e0041}', 'x\\u{e0041}'],
    ['variation selectors that spell a text', 'x\u{e0151}\ufe0f', 'x\\u{e0151}\\ufe0f'],
    ['a filler and a joiner', 'a\u3164b\u034f', 'a\\u3164b\\u034f'],
    ['half of a surrogate pair', 'a\ud800b', 'a\\ud800b'],
    [
      'an OSC 8 hyperlink',
      '\u001b]8;;https://evil.example\u0007click\u001b]8;;\u0007',
      '\\x1b]8;;https://evil.example\\x07click\\x1b]8;;\\x07',
    ],
    ['a no-break space', 'danger\u00a0', 'danger\\xa0'],
    ['an empty braille pattern', 'a\u2800b', 'a\\u2800b'],
    ['a character of nobody', 'a\ue000b\u0378', 'a\\ue000b\\u0378'],
  ])('writes %s as text', (_name, text, shown) => {
    expect(escapeText(text)).toBe(shown);
  });

  it('leaves ordinary text of any script as it is', () => {
    const text = 'café 日本語 עברית 🙂 C:\\temp';
    expect(escapeText(text)).toBe(text);
  });

  it('lets no control, format or separator character through, whatever the text', () => {
    assert(
      property(string({ unit: 'binary', maxLength: 200 }), (text) => {
        expect(escapeText(text)).not.toMatch(/(?! )[\p{C}\p{Z}]/u);
      }),
    );
  });
});

describe('escapeJson', () => {
  it('writes what could act on a terminal as JSON escapes', () => {
    expect(escapeJson(JSON.stringify('a\u202eb\u009bc'))).toBe('"a\\u202eb\\u009bc"');
    expect(escapeJson(JSON.stringify('\u{e0041}'))).toBe('"\\udb40\\udc41"');
  });

  it('never changes the value', () => {
    assert(
      property(string({ unit: 'binary', maxLength: 200 }), (text) => {
        const escaped = escapeJson(JSON.stringify(text));
        expect(JSON.parse(escaped)).toBe(text);
        expect(escaped).not.toMatch(/(?! )[\p{C}\p{Z}]/u);
      }),
    );
  });
});

describe('clip', () => {
  it('shortens to the width and says so', () => {
    expect(clip('abcdef', 4)).toBe('abc…');
    expect(clip('abcd', 4)).toBe('abcd');
  });

  it('does not cut a character in half', () => {
    expect(clip('🙂🙂🙂', 3)).toBe('🙂…');
    expect(clip('日本語', 4)).toBe('日…');
  });
});
