import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyConfig } from '../../../testing/toml-texts.js';
import { withItems } from './array.js';
import type { TomlChange } from './change.js';
import { readDocument, valuesIn } from './document.js';
import { editToml } from './edit.js';
import { quoted } from './spelling.js';

const RUNS = process.env['SUB_LONG'] === '1' ? 3_000 : 40;
const A = ['mcp_servers', 'a'];
const set = (path: readonly string[], source: string, after?: readonly string[]): TomlChange => ({
  path,
  source,
  ...(after === undefined ? {} : { after }),
});

const sourceAt = (text: string, path: readonly string[]): string | undefined =>
  valuesIn(readDocument(text))(path);

describe('an edit', () => {
  it.each([
    ['a table', '[mcp_servers.a] # h\ncommand = "x" # c\n', '[mcp_servers.a] # h\ncommand = "y" # c\n'],
    [
      'a quoted name',
      '[ \'mcp_servers\' . "a" ]\n\tcommand="""\nx"""',
      '[ \'mcp_servers\' . "a" ]\n\tcommand="y"',
    ],
    ['an inline table', 'mcp_servers = {b={}, a={command="x"}}', 'mcp_servers = {b={}, a={command="y"}}'],
    [
      'a member of a table',
      "[mcp_servers]\r\na = { command = 'x' }\r\n",
      '[mcp_servers]\r\na = { command = "y" }\r\n',
    ],
    ['dotted keys', 'mcp_servers.a.command = "x"\n[t]', 'mcp_servers.a.command = "y"\n[t]'],
    [
      'dotted keys under a header',
      '\uFEFF[mcp_servers]\na . command = "x"',
      '\uFEFF[mcp_servers]\na . command = "y"',
    ],
  ])('replaces a value in %s and nothing else', (_, before, after) => {
    expect(editToml(before, [set([...A, 'command'], '"y"')])).toBe(after);
  });

  it.each([
    [
      'a line of its own behind its neighbour',
      '[mcp_servers.a]\n  command = "x" # c\n\n[t]\n',
      '[mcp_servers.a]\n  command = "x" # c\n  new = 1\n\n[t]\n',
    ],
    [
      'the newline of its neighbour',
      '[mcp_servers.a]\r\ncommand = "x"\r\n',
      '[mcp_servers.a]\r\ncommand = "x"\r\nnew = 1\r\n',
    ],
    [
      'a newline before it at the end of a file',
      '[mcp_servers.a]\ncommand = "x"',
      '[mcp_servers.a]\ncommand = "x"\nnew = 1',
    ],
    [
      'a line behind a value of many lines',
      '[mcp_servers.a]\ncommand = """\nx\n""" # c\nb = 1',
      '[mcp_servers.a]\ncommand = """\nx\n""" # c\nnew = 1\nb = 1',
    ],
    [
      'a place in an inline table',
      'mcp_servers = {a={command="x" }}',
      'mcp_servers = {a={command="x", new = 1 }}',
    ],
    [
      'the dotted way of its neighbour',
      "mcp_servers.'a'.command = 'x'\n",
      "mcp_servers.'a'.command = 'x'\nmcp_servers.'a'.new = 1\n",
    ],
    [
      'a dotted way in an inline table',
      'mcp_servers = {a.command="x",b=1}',
      'mcp_servers = {a.command="x", a.new = 1,b=1}',
    ],
  ])('gives a new pair %s, and takes it out without a trace', (_, before, after) => {
    const added = editToml(before, [set([...A, 'new'], '1', [...A, 'command'])]);
    expect(added).toBe(after);
    expect(editToml(added, [{ path: [...A, 'new'], source: undefined }])).toBe(before);
  });

  it.each([
    [
      'an empty inline table',
      '[mcp_servers.a]\nhttp_headers = {}\n',
      '[mcp_servers.a]\nhttp_headers = { X = "1", "a b" = "2"}\n',
    ],
    [
      'an inline table',
      '[mcp_servers.a]\nhttp_headers = { B = "" }\n',
      '[mcp_servers.a]\nhttp_headers = { B = "", X = "1", "a b" = "2" }\n',
    ],
    [
      'an empty sub-table',
      '[mcp_servers.a.http_headers] # h\n[t]',
      '[mcp_servers.a.http_headers] # h\nX = "1"\n"a b" = "2"\n[t]',
    ],
    [
      'a sub-table',
      '[mcp_servers.a.http_headers]\nB = ""\n\n[t]',
      '[mcp_servers.a.http_headers]\nB = ""\nX = "1"\n"a b" = "2"\n\n[t]',
    ],
    [
      'dotted keys',
      '[mcp_servers.a]\nhttp_headers.B = ""\nc = 1',
      '[mcp_servers.a]\nhttp_headers.B = ""\nhttp_headers.X = "1"\nhttp_headers."a b" = "2"\nc = 1',
    ],
  ])('fills %s, and empties it again', (_, before, after) => {
    const paths = ['X', 'a b'].map((name) => [...A, 'http_headers', name]);
    const added = editToml(
      before,
      paths.map((path, index) => set(path, `"${index + 1}"`)),
    );
    expect(added).toBe(after);
    expect(
      editToml(
        added,
        paths.toReversed().map((path) => ({ path, source: undefined })),
      ),
    ).toBe(before);
  });

  it('gives a new pair of the document, or of a table of its own, its place', () => {
    expect(editToml('a = 1\n[t]\nb = 2\n', [set(['c'], '3')])).toBe('a = 1\nc = 3\n[t]\nb = 2\n');
    expect(editToml('a = 1\n[t]\nb = 2\n', [set(['t', 'c'], '3')])).toBe('a = 1\n[t]\nb = 2\nc = 3\n');
    expect(editToml('t = { b = 2 }', [set(['t', 'c'], '3')])).toBe('t = { b = 2, c = 3 }');
  });

  it('takes a pair out of an inline table wherever it stands in it', () => {
    const text = 'a = { x = 1, y = 2 , z = 3 }';
    const without = (name: string): string => editToml(text, [{ path: ['a', name], source: undefined }]);
    expect([without('x'), without('y'), without('z')]).toEqual([
      'a = { y = 2 , z = 3 }',
      'a = { x = 1 , z = 3 }',
      'a = { x = 1, y = 2  }',
    ]);
  });

  it('takes out a table only where nothing is left in it', () => {
    const path = [...A, 'env'];
    expect(editToml('[mcp_servers.a]\n[mcp_servers.a.env]\n[t]\n', [{ path, source: undefined }])).toBe(
      '[mcp_servers.a]\n[t]\n',
    );
    expect(() => editToml('[mcp_servers.a.env]\nB = 1\n', [{ path, source: undefined }])).toThrow('stays');
  });

  it.each([
    [
      'a text that is none',
      '[mcp_servers.a]\ncommand = "x',
      set([...A, 'command'], '"y"'),
      'line 2, column 11: ',
    ],
    [
      'a table without a place',
      'x = 1',
      set([...A, 'command'], '"y"'),
      'there is no place for `mcp_servers.a.command`',
    ],
    [
      'a list of tables',
      '[[mcp_servers.a]]\ncommand = "x"',
      set([...A, 'command'], '"y"'),
      'there is no place',
    ],
    ['what is not there', 'x = 1', { path: ['y'], source: undefined }, 'there is no `y`'],
    [
      'a value that a table follows',
      '[mcp_servers.a]\nx = 1\n[mcp_servers.a.env]\n',
      set([...A, 'env'], '{}'),
      'without changing something else',
    ],
  ])('refuses %s', (_, text, change, why) => {
    expect(() => editToml(text, [change])).toThrow(why);
  });

  it('of one server is the same whatever stands around it', () => {
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

  it('of servers whose places touch is done one after the other', () => {
    const gone = ['a', 'b'].map((name) => ({ path: ['m', name, 'x'], source: undefined }));
    expect(editToml('m = {a.x=1, b.x=2, a.y=3, b.y=4}', gone)).toBe('m = {a.y=3, b.y=4}');
    expect(editToml('m.a.x=1\nm.b.x=2\nm.b.y=3', [set(['m', 'a', 'y'], '4'), ...gone.slice(1)])).toBe(
      'm.a.x=1\nm.a.y = 4\nm.b.y=3',
    );
  });

  it('takes a pair of an inline table out with its own comma, whatever its remarks hold', () => {
    const text = 'a = { x = 1 # a, b\n , y = 2 }';
    expect(editToml(text, [{ path: ['a', 'y'], source: undefined }])).toBe('a = { x = 1 # a, b\n  }');
  });

  it('of any file moves nothing outside of the values, and is undone without a trace', () => {
    fc.assert(
      fc.property(
        anyConfig,
        fc.string({ unit: 'grapheme' }),
        fc.array(fc.string(), { maxLength: 3 }),
        ({ text, servers }, word, words) => {
          const changes = servers.flatMap(({ name, args }): TomlChange[] => {
            const at = ['mcp_servers', name];
            const source = sourceAt(text, [...at, 'args']) ?? '[]';
            return [
              set([...at, 'command'], quoted(word)),
              set([...at, 'args'], withItems(source, ['shim', ...words].map(quoted), 'first'), [
                ...at,
                'command',
              ]),
              set(
                [...at, 'new'],
                withItems('[]', words.map(quoted), 'last'),
                args === undefined ? undefined : [...at, 'args'],
              ),
            ];
          });
          const back = changes.toReversed().map(({ path }) => ({ path, source: sourceAt(text, path) }));
          const edited = editToml(text, changes);
          expect(editToml(edited, back)).toBe(text);
          // With our values cut out, what is left is the old text with its values cut out.
          const cut = (whole: string): string =>
            servers.reduce(
              (rest, { name }) =>
                editToml(rest, [
                  { path: ['mcp_servers', name, 'command'], source: '0' },
                  ...(sourceAt(rest, ['mcp_servers', name, 'new']) === undefined
                    ? []
                    : [{ path: ['mcp_servers', name, 'new'], source: undefined }]),
                  ...(sourceAt(rest, ['mcp_servers', name, 'args']) === undefined
                    ? []
                    : [{ path: ['mcp_servers', name, 'args'], source: undefined }]),
                ]),
              whole,
            );
          expect(cut(edited)).toBe(cut(text));
        },
      ),
      { numRuns: RUNS },
    );
  });
});

describe('a list', () => {
  it.each([
    ['[]', '[1, 2]', '[1, 2]'],
    ['[ ]', '[1, 2 ]', '[1, 2 ]'],
    ['["a"]', '[1, 2, "a"]', '["a", 1, 2]'],
    ['[\n  "a", # x\n  \'b\',\n]', '[1, 2, \n  "a", # x\n  \'b\',\n]', '[\n  "a", # x\n  \'b\', 1, 2,\n]'],
    ['["a" # x\n]', '[1, 2, "a" # x\n]', '["a", 1, 2 # x\n]'],
  ])('%j gets items before and behind, and keeps its lines and comments', (source, first, last) => {
    expect(withItems(source, ['1', '2'], 'first')).toBe(first);
    expect(withItems(source, ['1', '2'], 'last')).toBe(last);
    expect(withItems(source, [], 'last')).toBe(source);
  });
});
