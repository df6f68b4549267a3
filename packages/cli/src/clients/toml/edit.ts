import { TextProblem } from '../text-problem.js';
import { readDocument, type TomlDocument } from './document.js';
import { sameMeaning, valueMeaning, withMeaning, type Table } from './meaning.js';
import type { InlineNode, SectionNode } from './nodes.js';
import { partsOf, type Part } from './parts.js';
import { placeAt, placesBelow, placesOf, samePath, sectionAt, startsWith, type Place } from './places.js';
import { scanToml } from './scan.js';
import { keyText } from './strings.js';

/** One value of a document that is to become another, in its source form; undefined: that is to go. */
export interface TomlChange {
  readonly path: readonly string[];
  readonly source: string | undefined;
  /** The path of the pair that a new one is to stand behind; without it the last of the same table. */
  readonly after?: readonly string[];
}

/**
 * A text with these changes, one after the other, and every unit outside of them as it was. A value is replaced where
 * it stands; a new pair gets a line (or a place in its inline table) of its own, so that taking it out again gives the
 * text as it was. A table that is to go must be empty. Throws `TextProblem` for a text that is no TOML, where there is
 * no place for a new pair, and where the outcome would mean anything else than the text before with these values
 * changed.
 */
export function editToml(text: string, changes: readonly TomlChange[]): string {
  const before = readDocument(text);
  let expected: Table = before.meaning;
  for (const { path, source } of changes) {
    expected = withMeaning(expected, path, source === undefined ? undefined : valueMeaning(source));
  }
  const parts = partsOf(before);
  const groups = new Map<Part | undefined, TomlChange[]>();
  for (const change of changes) {
    const part = parts(change.path);
    const group = groups.get(part);
    if (group === undefined) groups.set(part, [change]);
    else group.push(change);
  }
  let edited = text;
  // From behind, so that what stands before keeps its place; the rest, which may stand anywhere, is looked for anew each time.
  const ordered = [...groups].toSorted(([one], [other]) => (other?.start ?? -1) - (one?.start ?? -1));
  const pieces: string[] = [];
  let rest = text.length;
  for (const [part, group] of ordered) {
    if (part === undefined) continue;
    pieces.push(text.slice(part.end, rest), inTurn(text.slice(part.start, part.end), group));
    rest = part.start;
  }
  edited = text.slice(0, rest) + pieces.toReversed().join('');
  edited = inTurn(edited, groups.get(undefined) ?? []);
  if (!means(edited, expected)) {
    throw new TextProblem('this cannot be changed without changing something else', text, 0);
  }
  return edited;
}

function inTurn(text: string, changes: readonly TomlChange[]): string {
  return changes.reduce(
    (now, { path, source, after }) =>
      source === undefined ? without(now, path) : withValue(now, path, source, after),
    text,
  );
}

function means(text: string, expected: Table): boolean {
  try {
    return sameMeaning(readDocument(text).meaning, expected);
  } catch (error) {
    if (error instanceof TextProblem) return false;
    throw error;
  }
}

/** Tells the source form of the value at a path, undefined where no pair has that path. */
export type Values = (path: readonly string[]) => string | undefined;

/** The values of a document, which is gone through once. */
export function valuesIn({ text, sections }: TomlDocument): Values {
  const values = new Map<string, string>();
  for (const { path, pair } of placesOf(sections)) {
    const key = JSON.stringify(path);
    if (!values.has(key)) values.set(key, text.slice(pair.value.start, pair.value.end));
  }
  return (path) => values.get(JSON.stringify(path));
}

/** The source form of the value at `path`, undefined where no pair has that path. */
export function sourceAt(text: string, path: readonly string[]): string | undefined {
  const value = placeAt(scanToml(text), path)?.pair.value;
  return value === undefined ? undefined : text.slice(value.start, value.end);
}

function withValue(
  text: string,
  path: readonly string[],
  source: string,
  after: readonly string[] | undefined,
): string {
  const sections = scanToml(text);
  const table = path.slice(0, -1);
  const places = placesBelow(sections, table.slice(0, 2));
  const there = places.find((one) => samePath(one.path, path));
  if (there !== undefined) return splice(text, there.pair.value.start, there.pair.value.end, source);
  const pair = `${keyText(path.at(-1) ?? '')} = ${source}`;
  const siblings = places.filter((one) => one.path.length === path.length && startsWith(one.path, table));
  const anchor = siblings.find((one) => after !== undefined && samePath(one.path, after)) ?? siblings.at(-1);
  if (anchor !== undefined) return behind(text, anchor, pair);
  const inline = placeAt(sections, table)?.pair.value;
  if (inline?.kind === 'inline') return splice(text, inline.start + 1, inline.start + 1, ` ${pair}`);
  const header = sectionAt(sections, table)?.header;
  if (header === undefined) throw new TextProblem(`there is no place for \`${path.join('.')}\``, text, 0);
  return newLine(text, header.start, header.end, pair);
}

/** A pair behind another one of the same table, with the same dotted way in front of its key. */
function behind(text: string, anchor: Place, pair: string): string {
  const { pair: node, holder } = anchor;
  const way = text.slice(node.start, node.key.at(-1)?.start ?? node.start);
  if (isInline(holder)) return splice(text, node.end, node.end, `, ${way}${pair}`);
  return newLine(text, node.start, node.end, way + pair);
}

/** `line` as a line behind the one that ends what goes from `start` to `end`, indented as that. */
function newLine(text: string, start: number, end: number, line: string): string {
  const indent = /^[ \t]*/.exec(text.slice(startOfLine(text, start)))?.[0] ?? '';
  const next = text.indexOf('\n', end);
  if (next === -1) return `${text}${newlineOf(text)}${indent}${line}`;
  const newline = text[next - 1] === '\r' ? '\r\n' : '\n';
  return splice(text, next + 1, next + 1, `${indent}${line}${newline}`);
}

function without(text: string, path: readonly string[]): string {
  const sections = scanToml(text);
  const place = placeAt(sections, path);
  if (place !== undefined) return withoutPair(text, place);
  const section = sectionAt(sections, path);
  if (section?.header === undefined) throw new TextProblem(`there is no \`${path.join('.')}\``, text, 0);
  if (section.pairs.length > 0)
    throw new TextProblem('a table that has something in it stays', text, section.header.start);
  return withoutLines(text, section.header.start, section.header.end);
}

function withoutPair(text: string, { pair, holder }: Place): string {
  if (!isInline(holder)) return withoutLines(text, pair.start, pair.end);
  const index = holder.pairs.indexOf(pair);
  const comma = holder.commas[index - 1];
  if (comma !== undefined) return splice(text, comma, pair.end, '');
  const next = holder.pairs[index + 1];
  return next === undefined
    ? splice(text, holder.start + 1, pair.end, '')
    : splice(text, pair.start, next.start, '');
}

/** Without the lines that `start` to `end` stand on; of the last line of a text also without the newline before it. */
function withoutLines(text: string, start: number, end: number): string {
  const from = startOfLine(text, start);
  const next = text.indexOf('\n', end);
  if (next !== -1) return splice(text, from, next + 1, '');
  return text.slice(0, from).replace(/\r?\n$/, '');
}

function startOfLine(text: string, at: number): number {
  const from = text.lastIndexOf('\n', at - 1) + 1;
  return from === 0 && text.startsWith('\uFEFF') ? 1 : from;
}

/** The newline that a text uses first. */
function newlineOf(text: string): string {
  return /\r?\n/.exec(text)?.[0] ?? '\n';
}

function isInline(holder: SectionNode | InlineNode): holder is InlineNode {
  return 'kind' in holder;
}

function splice(text: string, start: number, end: number, put: string): string {
  return text.slice(0, start) + put + text.slice(end);
}
