import { TomlSyntax } from './cursor.js';
import { scanValue } from './scan.js';
import { quoted } from './strings.js';

/** A list of texts in source form, on one line. */
export function arrayOf(texts: readonly string[]): string {
  return `[${texts.map((text) => quoted(text)).join(', ')}]`;
}

/**
 * The source form of a list with texts put before its first item, or behind its last; what stood in it stays as it
 * was, comments and lines too.
 */
export function withItems(source: string, texts: readonly string[], where: 'first' | 'last'): string {
  const array = scanValue(source);
  if (array.kind !== 'array') throw new TomlSyntax('this is no list', 0);
  const put = texts.map((text) => quoted(text)).join(', ');
  const last = array.items.at(-1);
  if (put === '') return source;
  if (last === undefined) return `[${put}${source.slice(1)}`;
  if (where === 'first') return `[${put}, ${source.slice(1)}`;
  return `${source.slice(0, last.end)}, ${put}${source.slice(last.end)}`;
}
