import { ParseError, parseTOML, type AST } from 'toml-eslint-parser';

/** Stands in front of a value, so that it can be read alone. */
const KEY = 'v=';

/**
 * The source form of a list with items (source forms) put before its first, or behind its last. Everything
 * that stood in it stays, comments and lines too.
 */
export function withItems(source: string, items: readonly string[], where: 'first' | 'last'): string {
  const last = spansOf(source).at(-1);
  const put = items.join(', ');
  if (put === '') return source;
  if (last === undefined) return `[${put}${source.slice(1)}`;
  if (where === 'first') return `[${put}, ${source.slice(1)}`;
  return `${source.slice(0, last[1])}, ${put}${source.slice(last[1])}`;
}

/** The source form of a list without its first `count` items and the text between them. */
export function withoutFirst(source: string, count: number): string {
  return `[${source.slice(spansOf(source)[count]?.[0] ?? source.length - 1)}`;
}

/** The source form of the items of a list. */
export function itemsOf(source: string): readonly string[] {
  return spansOf(source).map(([start, end]) => source.slice(start, end));
}

function spansOf(source: string): readonly AST.Range[] {
  const [pair] = parseTOML(KEY + source).body[0].body;
  if (pair?.type !== 'TOMLKeyValue' || pair.value.type !== 'TOMLArray') {
    throw new ParseError('unexpected-token', 0, 1, 0);
  }
  return pair.value.elements.map(({ range: [start, end] }) => [start - KEY.length, end - KEY.length]);
}
