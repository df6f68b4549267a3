import type { AST } from 'toml-eslint-parser';
import { TextProblem } from '../text-problem.js';
import type { Index, Place } from './places.js';
import { keyText } from './spelling.js';

/** One value of a document that becomes another, given in its source form. Undefined takes it out. */
export interface TomlChange {
  readonly path: readonly string[];
  readonly source: string | undefined;
  /** The path of the pair that a new one stands behind. Without it, that is the last of the same table. */
  readonly after?: readonly string[];
}

/** The units from `start` up to `end` become `put`. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly put: string;
  /** Whether it replaces a value, and moves nothing. */
  readonly replaces: boolean;
}

/** The edit that makes a change in a document. Throws `TextProblem` where there is no place for it. */
export function editOf(text: string, index: Index, change: TomlChange): Edit {
  const { path, source, after } = change;
  return source === undefined ? removal(text, index, path) : setting(text, index, path, source, after);
}

function setting(
  text: string,
  index: Index,
  path: readonly string[],
  source: string,
  after: readonly string[] | undefined,
): Edit {
  const there = index.pair(path);
  if (there !== undefined) {
    const [start, end] = there.pair.value.range;
    return { start, end, put: source, replaces: true };
  }
  const pair = `${keyText(path.at(-1) ?? '')} = ${source}`;
  const table = path.slice(0, -1);
  const wanted = after?.length === path.length ? index.pair(after) : undefined;
  const anchor = wanted ?? index.lastIn(table);
  if (anchor !== undefined) return behind(text, anchor, pair);
  const inline = index.pair(table)?.pair.value;
  if (inline?.type === 'TOMLInlineTable') return insertion(inline.range[0] + 1, ` ${pair}`);
  const header = index.section(table)?.header;
  if (header === undefined) throw new TextProblem(`there is no place for \`${path.join('.')}\``, text, 0);
  return newLine(text, header.key.range, pair);
}

/** Puts a pair behind another one of the same table, with the same dotted way in front of its key. */
function behind(text: string, { pair: node, inline }: Place, pair: string): Edit {
  const way = text.slice(node.range[0], node.key.keys.at(-1)?.range[0]);
  return inline === undefined
    ? newLine(text, node.range, way + pair)
    : insertion(node.range[1], `, ${way}${pair}`);
}

/** Puts a line behind the one on which a range ends, indented as the one on which it starts. */
function newLine(text: string, [start, end]: AST.Range, line: string): Edit {
  const indent = /^[ \t]*/.exec(text.slice(startOfLine(text, start)))?.[0] ?? '';
  const next = text.indexOf('\n', end);
  if (next === -1) {
    const newline = /\r?\n/.exec(text)?.[0] ?? '\n';
    return insertion(text.length, newline + indent + line);
  }
  const newline = text[next - 1] === '\r' ? '\r\n' : '\n';
  return insertion(next + 1, indent + line + newline);
}

function removal(text: string, index: Index, path: readonly string[]): Edit {
  const place = index.pair(path);
  if (place !== undefined) return withoutPair(text, place);
  const section = index.section(path);
  if (section?.header === undefined) throw new TextProblem(`there is no \`${path.join('.')}\``, text, 0);
  const { range } = section.header.key;
  if (section.pairs.length > 0)
    throw new TextProblem('a table that has something in it stays', text, range[0]);
  return withoutLines(text, range);
}

function withoutPair(text: string, { pair, inline }: Place): Edit {
  if (inline === undefined) return withoutLines(text, pair.range);
  const at = inline.body.indexOf(pair);
  const [before, next] = [inline.body[at - 1], inline.body[at + 1]];
  if (before !== undefined) return cut(commaBehind(text, before), pair.range[1]);
  if (next !== undefined) return cut(pair.range[0], next.range[0]);
  return cut(inline.range[0] + 1, pair.range[1]);
}

/** The comma behind a pair of an inline table. Only blanks and comments may stand before it. */
function commaBehind(text: string, { range: [, end] }: AST.TOMLKeyValue): number {
  return end + (/^(?:[^,#]+|#[^\n]*)*/.exec(text.slice(end))?.[0].length ?? 0);
}

/** Takes out the lines of a range. With the last line of a text, the newline before it goes too. */
function withoutLines(text: string, [start, end]: AST.Range): Edit {
  const from = startOfLine(text, start);
  const next = text.indexOf('\n', end);
  if (next !== -1) return cut(from, next + 1);
  return cut(text.slice(0, from).replace(/\r?\n$/, '').length, text.length);
}

function startOfLine(text: string, at: number): number {
  const from = text.lastIndexOf('\n', at - 1) + 1;
  return from === 0 && text.startsWith('\uFEFF') ? 1 : from;
}

function insertion(at: number, put: string): Edit {
  return { start: at, end: at, put, replaces: false };
}

function cut(start: number, end: number): Edit {
  return { start, end, put: '', replaces: false };
}
