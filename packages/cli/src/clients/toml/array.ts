import { TomlSyntax } from './cursor.js';
import type { ArrayNode } from './nodes.js';
import { scanValue } from './scan.js';
import { quoted } from './strings.js';

/** A list of texts in source form, on one line. */
export function arrayOf(texts: readonly string[]): string {
  return `[${texts.map((text) => quoted(text)).join(', ')}]`;
}

/**
 * The source form of a list with items (source forms) put before its first, or behind its last; what stood in it stays
 * as it was, comments and lines too.
 */
export function withItems(source: string, items: readonly string[], where: 'first' | 'last'): string {
  const { start, items: there } = listOf(source);
  const put = items.join(', ');
  const last = there.at(-1);
  if (put === '') return source;
  if (last === undefined) return `[${put}${source.slice(start + 1)}`;
  if (where === 'first') return `[${put}, ${source.slice(start + 1)}`;
  return `${source.slice(0, last.end)}, ${put}${source.slice(last.end)}`;
}

/** The source form of a list without its first `count` items and what stands between them. */
export function withoutFirst(source: string, count: number): string {
  const { items, end } = listOf(source);
  return `[${source.slice(items[count]?.start ?? end - 1)}`;
}

/** The source form of the items of a list. */
export function itemsOf(source: string): readonly string[] {
  return listOf(source).items.map((item) => source.slice(item.start, item.end));
}

function listOf(source: string): ArrayNode {
  const node = scanValue(source);
  if (node.kind !== 'array') throw new TomlSyntax('this is no list', 0);
  return node;
}
