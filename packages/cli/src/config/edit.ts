import { isOfNames } from './key.js';
import { editToml } from '../text/toml/edit.js';
import { readDocument } from '../text/toml/document.js';
import { TextProblem } from '../text/text-problem.js';
import { editOf } from '../text/toml/change.js';
import { meaningAt, sameMeaning, withMeaning } from '../text/toml/meaning.js';
import { Index } from '../text/toml/places.js';
import { keyText } from '../text/toml/spelling.js';

/**
 * The text of `config.toml` with one setting of this value (source form), or without it. Comments and all
 * other lines stay as they are. A table that is not there yet is put at the end. Throws `TextProblem`.
 */
export function withSetting(text: string, path: readonly string[], source: string | undefined): string {
  const { meaning, sections } = readDocument(text);
  if (source === undefined && meaningAt(meaning, path) === undefined) return text;
  const change = [{ path, source }];
  const index = new Index(sections);
  const table = path.slice(0, -1);
  const hasPlace =
    index.pair(path) !== undefined ||
    index.lastIn(table) !== undefined ||
    index.section(table) !== undefined ||
    index.pair(table) !== undefined;
  if (source === undefined) return withoutEmpty(without(text, path), table);
  if (hasPlace) return editToml(text, change);
  const newline = text.includes('\r\n') ? '\r\n' : '\n';
  if (table.length === 0) return onFirstLine(text, `${keyText(path.at(-1) ?? '')} = ${source}${newline}`);
  const end = text === '' || text.endsWith('\n') ? '' : newline;
  const space = text.trim() === '' ? '' : newline;
  return editToml(`${text}${end}${space}[${table.map(keyText).join('.')}]${newline}`, change);
}

/** The text without one pair, or one empty table. Tables that only its key has made go with it. */
function without(text: string, path: readonly string[]): string {
  const { meaning, sections } = readDocument(text);
  const { start, end, put } = editOf(text, new Index(sections), { path, source: undefined });
  const after = text.slice(0, start) + put + text.slice(end);
  const found = readDocument(after).meaning;
  for (let at = path.length, expected = meaning; at > 0; at -= 1) {
    expected = withMeaning(expected, path.slice(0, at), undefined);
    if (sameMeaning(found, expected)) return after;
    const above = meaningAt(expected, path.slice(0, at - 1));
    if (!(above instanceof Map) || above.size > 0) break;
  }
  throw new TextProblem('this cannot be taken out without changing something else', text, start);
}

/** A table of names that is empty is not the same as none: the names of its default would be gone. */
function withoutEmpty(text: string, table: readonly string[]): string {
  const left = meaningAt(readDocument(text).meaning, table);
  const isEmpty = left instanceof Map && left.size === 0;
  return isEmpty && isOfNames(table) ? without(text, table) : text;
}

/** A setting of no table goes above all tables, and below comments on the whole file. */
function onFirstLine(text: string, line: string): string {
  const at = /^\ufeff?(?:(?:[ \t]*#[^\n]*\n)+[ \t]*\r?\n)?/.exec(text)?.[0].length ?? 0;
  const edited = text.slice(0, at) + line + text.slice(at);
  readDocument(edited);
  return edited;
}
