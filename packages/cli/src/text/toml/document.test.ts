import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyConfig } from '../../../testing/toml-texts.js';
import { TextProblem } from '../text-problem.js';
import { readDocument } from './document.js';
import { meaningOf, meaningAt, type Meaning } from './meaning.js';
import { placesOf } from './places.js';

/** The meaning that both readers agree on, as plain values. */
function read(text: string): unknown {
  return plain(readDocument(text).meaning);
}

function plain(meaning: Meaning): unknown {
  if (meaning instanceof Map)
    return Object.fromEntries([...meaning].map(([key, value]) => [key, plain(value)]));
  if (Array.isArray(meaning)) return meaning.map((item) => plain(item));
  return typeof meaning === 'string' ? meaning : Object.values(meaning)[0];
}

/** Why a text is refused, and where. */
function refused(text: string): string {
  try {
    read(text);
  } catch (error) {
    if (error instanceof TextProblem) return error.message;
    throw error;
  }
  return 'it is read';
}

function libraryReads(text: string): boolean {
  try {
    meaningOf(text);
    return true;
  } catch {
    return false;
  }
}

describe('a TOML text', () => {
  it.each([
    ['nothing', '', {}],
    ['a mark in front', '\uFEFFa = "b"', { a: 'b' }],
    ['lines that end with CRLF', 'a = "b"\r\n[t]\r\nc = "d"\r\n', { a: 'b', t: { c: 'd' } }],
    [
      'all kinds of strings',
      'a = "x\\"y"\nb = \'x\\y\'\nc = """\nx"y"""\nd = \'\'\'\nx\'y\'\'\'',
      { a: 'x"y', b: 'x\\y', c: 'x"y', d: "x'y" },
    ],
    ['quotes right before the closing ones', 'a = """x"""""\nb = \'\'\'x\'\'\'\'\'', { a: 'x""', b: "x''" }],
    ['a line that is folded', 'a = """x \\\n\n   y"""', { a: 'x y' }],
    ['dotted and quoted keys', 'a . "b.c" . \'d\' = "e"', { a: { 'b.c': { d: 'e' } } }],
    ['a list over lines with comments', 'a = [ # one\n "x", # ], "\n\n "y",\n]', { a: ['x', 'y'] }],
    [
      'tables inside of values',
      'a = { b = { c = ["d"] }, "e f" = {} }',
      { a: { b: { c: ['d'] }, 'e f': {} } },
    ],
    ['lists of tables', '[[a]]\nb = "1"\n[a.c]\nd = "2"\n[[a]]\n', { a: [{ b: '1', c: { d: '2' } }, {}] }],
    ['a table above its own parent', '[a.b]\nc = "1"\n[a]\nd = "2"', { a: { b: { c: '1' }, d: '2' } }],
    ['names that objects know', '[__proto__]\nconstructor = "x"', { ['__proto__']: { constructor: 'x' } }],
    ['a comment without an end', 'a = "b" # c', { a: 'b' }],
    ['numbers beyond what a number holds', 'a = 9223372036854775807', { a: 'bigint 9223372036854775807' }],
  ])('with %s is read by both readers', (_, text, meaning) => {
    expect(read(text)).toEqual(meaning);
  });

  it.each([
    ['a = "b', 'line 1'],
    ['[t]\na = 1\na = 2\n', 'line 3'],
    ['[t]\nx = 1\n[t]\n', 'line 3'],
    ['a = 1 b = 2', 'line 1'],
    ['a = [1, 2', 'line 1'],
    ['a = {b = 1\nc = 2}', 'line'],
    ['a = "\\q"', 'line 1'],
    ['a = "\\uD800"', 'line 1'],
    ['\n\n  é = 1', 'line 3'],
    ['a = """x', 'line'],
    ['a\r= 1', 'line 1'],
    // The library takes this for a date.
    ['a = 1979-05-\n7', 'line 1'],
    ['=', 'line 1'],
    [`a = ${'['.repeat(400)}${']'.repeat(400)}`, 'line 1'],
    [`a = ${'{ a = '.repeat(100_000)}`, 'line 1'],
  ])('that is none is refused with the place: %.40s', (text, place) => {
    expect(refused(text)).toContain(place);
  });

  it('with a string that the second reader cannot hold is refused', () => {
    expect(refused(`a = "${'x'.repeat(50_000)}"`)).toBe('it is read');
    expect(refused(`a = "${'x'.repeat(1_000_000)}"`)).toContain('too long');
  });

  it('that is refused is not quoted', () => {
    expect(refused('[mcp_servers.x.env]\nTOKEN = "sk-secret\n')).not.toContain('sk-secret');
  });

  it('of any shape is read alike by both readers, with its servers at their places', () => {
    fc.assert(
      fc.property(anyConfig, ({ text, servers }) => {
        const document = readDocument(text);
        for (const { name, command, args } of servers) {
          const path = ['mcp_servers', name];
          expect(meaningAt(document.meaning, [...path, 'command'])).toBe(command);
          expect(meaningAt(document.meaning, [...path, 'args'])).toEqual(args);
          const place = placesOf(document.sections).find(
            (one) => one.path.join('\n') === [...path, 'command'].join('\n'),
          );
          expect(place?.pair.value).toMatchObject({ kind: 'string', value: command });
        }
      }),
      { numRuns: process.env['SUB_LONG'] === '1' ? 3_000 : 100 },
    );
  });

  it('that is cut or changed anywhere is read by both alike, or refused with a place', () => {
    fc.assert(
      fc.property(
        anyConfig,
        fc.nat(),
        fc.constantFrom('', '"', "'", '[', '}', '\n', ',', '=', '.', '#', '\\', 'x'),
        (config, at, put) => {
          const { text } = config;
          const where = at % (text.length + 1);
          const changed = text.slice(0, where) + put + text.slice(where + 1);
          // The library hands what begins like a date to `Date`, which reads more than dates.
          if (/\d{4}-(?!\d{2}-\d{2})/.test(changed)) return;
          expect(refused(changed)).toMatch(
            libraryReads(changed) ? /^it is read$/ : /^line \d+, column \d+: /,
          );
        },
      ),
      { numRuns: process.env['SUB_LONG'] === '1' ? 10_000 : 300 },
    );
  });
});
