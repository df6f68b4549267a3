import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isSublError, parseJson } from '@subluminal/core-types';
import { JsonScanner, MAX_SCAN_DEPTH, type ScanHandler } from './scanner.js';

const silent: ScanHandler = {
  wantsText: () => false,
  key: () => undefined,
  scalar: () => undefined,
  open: () => undefined,
  close: () => undefined,
};

/** Scans `bytes`, cut into pieces of the given sizes in turn. */
function scans(bytes: Buffer, sizes: readonly number[] = [bytes.length || 1], handler = silent): boolean {
  const scanner = new JsonScanner(handler);
  let at = 0;
  for (let turn = 0; at < bytes.length; turn += 1) {
    const size = sizes[turn % sizes.length] ?? 1;
    if (!scanner.push(bytes.subarray(at, at + size))) return false;
    at += size;
  }
  return scanner.end();
}

/** The verdict of the strict parser, without the checks that the scanner leaves to its handler. */
function parses(bytes: Buffer): boolean | 'duplicate' {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return false;
  }
  try {
    parseJson(text);
    return true;
  } catch (error) {
    if (!isSublError(error, 'invalid_json', 'too_deep')) throw error;
    return error.message.includes('stands twice') ? 'duplicate' : false;
  }
}

const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 8 });

/** Fragments that, joined at random, often give nearly valid JSON. */
const fragments = [
  ['{', '}', '[', ']', ',', ':', '"', '""', '"a"', '"\\u00e9"', '"\\ud83d\\ude00"', '"\\ud83d"', '"\\ude00"'],
  [
    '\\',
    '\\n',
    '\\x',
    '\\u12',
    'true',
    'false',
    'null',
    'tru',
    'nul',
    '0',
    '-',
    '-0',
    '01',
    '1.',
    '1.5',
    '.5',
  ],
  [
    '1e5',
    '1e',
    '1E+',
    '1e-9',
    '-1.0e+20',
    ' ',
    '\t',
    '\u0001',
    'é',
    '\u2028',
    '😀',
    '"k":',
    '{"a":1}',
    '[1,2]',
  ],
].flat();
const fragment = fc.constantFrom(...fragments);

describe('the scanner agrees with the strict parser', () => {
  test('on every JSON text, however it is cut', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), sizes, fc.boolean(), (json, cuts, spread) => {
        const text = spread ? JSON.stringify(JSON.parse(json), null, 2) : json;
        const bytes = Buffer.from(text);
        const expected = parses(bytes);
        expect(scans(bytes, cuts)).toBe(expected === 'duplicate' ? true : expected);
      }),
      { numRuns: 400 },
    );
  });

  test('on texts that are almost JSON', () => {
    fc.assert(
      fc.property(fc.array(fragment, { maxLength: 12 }), sizes, (parts, cuts) => {
        const bytes = Buffer.from(parts.join(''));
        const expected = parses(bytes);
        if (expected !== 'duplicate') expect(scans(bytes, cuts)).toBe(expected);
      }),
      { numRuns: 5000 },
    );
  });

  test('on strings of any bytes', () => {
    const utf8Edges = [
      0xc0, 0xc1, 0xc2, 0xdf, 0xe0, 0xed, 0xef, 0xf0, 0xf4, 0xf5, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf,
    ];
    const byte = fc.oneof(
      fc.constantFrom(...utf8Edges, 0x22, 0x5c, 0x75, 0x64, 0x38),
      fc.integer({ min: 0, max: 255 }).filter((value) => value !== 0x0d),
    );
    fc.assert(
      fc.property(fc.array(byte, { maxLength: 8 }), sizes, (content, cuts) => {
        const bytes = Buffer.from([0x22, ...content, 0x22]);
        expect(scans(bytes, cuts)).toBe(parses(bytes));
      }),
      { numRuns: 5000 },
    );
  });

  test('when one byte of a JSON text is changed', () => {
    fc.assert(
      fc.property(
        fc.json({ maxDepth: 4 }),
        fc.nat(),
        fc.integer({ min: 0, max: 255 }),
        sizes,
        (json, at, value, cuts) => {
          const bytes = Buffer.from(json);
          bytes[at % bytes.length] = value === 0x0d ? 0x20 : value;
          const expected = parses(bytes);
          if (expected !== 'duplicate') expect(scans(bytes, cuts)).toBe(expected);
        },
      ),
      { numRuns: 3000 },
    );
  });
});

describe('the scanner', () => {
  test('tells keys and values with their depths', () => {
    const events: unknown[] = [];
    const handler: ScanHandler = {
      wantsText: () => true,
      key: (depth, text) => events.push(['key', depth, text]),
      scalar: (depth, value) => events.push([value.kind, depth, value.text]),
      open: (depth, container) => events.push([container, depth]),
      close: (depth) => events.push(['close', depth]),
    };
    expect(scans(Buffer.from('{"a\\u0062":[1.50,"x\\n",true],"é":{}}'), [1], handler)).toBe(true);
    expect(events).toEqual([
      ['object', 0],
      ['key', 1, 'ab'],
      ['array', 1],
      ['number', 2, '1.50'],
      ['string', 2, 'x\n'],
      ['literal', 2, 'true'],
      ['close', 1],
      ['key', 1, 'é'],
      ['object', 1],
      ['close', 1],
      ['close', 0],
    ]);
  });

  test('does not keep texts of more than 4096 bytes', () => {
    const texts: unknown[] = [];
    const handler = {
      ...silent,
      wantsText: () => true,
      scalar: (_: number, value: { text: unknown }) => texts.push(value.text),
    };
    expect(scans(Buffer.from(JSON.stringify(['x'.repeat(4096), 'y'.repeat(4097)])), [1000], handler)).toBe(
      true,
    );
    expect(texts).toEqual(['x'.repeat(4096), undefined]);
  });

  test('takes 4096 levels and no more', () => {
    const nested = (depth: number) => Buffer.from('['.repeat(depth) + ']'.repeat(depth));
    expect(MAX_SCAN_DEPTH).toBe(4096);
    expect(scans(nested(4096))).toBe(true);
    expect(scans(nested(4097))).toBe(false);
  });

  test('takes a carriage return at the very end only', () => {
    expect(scans(Buffer.from('{"a":1}\r'))).toBe(true);
    expect(scans(Buffer.from('{"a":\r1}'))).toBe(false);
    expect(scans(Buffer.from('\r{"a":1}'))).toBe(false);
    expect(scans(Buffer.from('{"a":1}\r\r'))).toBe(false);
  });
});
