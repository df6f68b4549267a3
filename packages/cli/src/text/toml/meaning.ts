import { parse, TomlDate } from 'smol-toml';
import type { AST } from 'toml-eslint-parser';
import { namesOf, sourceOf, type Section } from './syntax.js';

/** Deeper than any client's configuration, shallow enough for the stack of every reader. */
const DEEPEST = 100;

/**
 * The meaning of a TOML value: a text, a table, a list, or one of the others in a form that can be compared.
 */
export type Meaning = string | Scalar | readonly Meaning[] | Table;
export type Table = ReadonlyMap<string, Meaning>;

/** A number, a boolean or a time. */
export interface Scalar {
  readonly scalar: string;
}

type Building = Map<string, Meaning | BuildingList>;
type BuildingList = Building[];

/** The meaning of a text. Throws `TomlError`. */
export function meaningOf(text: string): Table {
  return fromLibrary(parse(text, { integersAsBigInt: 'asNeeded', maxDepth: DEEPEST })) as Table;
}

/** The meaning of one value in its source form. Throws `TomlError`. */
export function valueMeaning(source: string): Meaning {
  return meaningOf(`v = ${source}\n`).get('v') ?? new Map();
}

function fromLibrary(value: unknown): Meaning {
  if (typeof value === 'string') return value;
  if (value instanceof TomlDate) return { scalar: `time ${value.toISOString()}` };
  if (Array.isArray(value)) return value.map((item) => fromLibrary(item));
  if (typeof value === 'object' && value !== null) {
    return new Map(Object.entries(value).map(([key, inside]) => [key, fromLibrary(inside)]));
  }
  return { scalar: `${typeof value} ${Object.is(value, -0) ? '-0' : String(value)}` };
}

/** The meaning of parsed sections. Numbers, booleans and times are read by the library of `meaningOf`. */
export function syntaxMeaning(text: string, sections: readonly Section[]): Table {
  const root: Building = new Map();
  for (const { header, path, pairs } of sections) {
    const parent = tableAt(root, path.slice(0, -1));
    const name = path.at(-1);
    const table =
      name === undefined ? root : header?.kind === 'array' ? nextOf(parent, name) : tableAt(parent, [name]);
    for (const pair of pairs) put(table, pair, text);
  }
  return root;
}

function put(table: Building, { key, value }: AST.TOMLKeyValue, text: string): void {
  const names = namesOf(key);
  tableAt(table, names.slice(0, -1)).set(names.at(-1) ?? '', nodeMeaning(value, text));
}

function nodeMeaning(node: AST.TOMLContentNode, text: string): Meaning {
  switch (node.type) {
    case 'TOMLArray':
      return node.elements.map((item) => nodeMeaning(item, text));
    case 'TOMLInlineTable': {
      const table: Building = new Map();
      for (const pair of node.body) put(table, pair, text);
      return table;
    }
    case 'TOMLValue': {
      const source = sourceOf(text, node);
      // TOML leaves open whether a newline of a string stays CRLF. The two libraries differ in it.
      return node.kind === 'string' && !source.includes('\r') ? node.value : valueMeaning(source);
    }
  }
}

/** The table at `names` below `table`, made where nothing is. Of a list of tables it is the last one. */
function tableAt(table: Building, names: readonly string[]): Building {
  let at = table;
  for (const name of names) {
    const next = at.get(name);
    const inside = Array.isArray(next) ? next.at(-1) : next;
    // A value in the way makes a second meaning, which is not the library's.
    const found: Building = inside instanceof Map ? inside : new Map();
    if (found !== inside) at.set(name, found);
    at = found;
  }
  return at;
}

function nextOf(table: Building, name: string): Building {
  const made: Building = new Map();
  const there = table.get(name);
  const list: BuildingList = Array.isArray(there) ? there : [];
  list.push(made);
  table.set(name, list);
  return made;
}

/** Whether two values mean the same. The order of keys means nothing. */
export function sameMeaning(one: Meaning | undefined, other: Meaning | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  if (typeof one === 'string' || typeof other === 'string') return one === other;
  if (one instanceof Map) {
    return (
      other instanceof Map &&
      one.size === other.size &&
      [...one].every(([key, value]) => other.has(key) && sameMeaning(value, other.get(key)))
    );
  }
  if (Array.isArray(one)) {
    return (
      Array.isArray(other) &&
      one.length === other.length &&
      one.every((item, index) => sameMeaning(item, other[index]))
    );
  }
  return 'scalar' in one && 'scalar' in other && one.scalar === other.scalar;
}

/** The value at `path`, undefined where there is none. */
export function meaningAt(meaning: Meaning | undefined, path: readonly string[]): Meaning | undefined {
  let at = meaning;
  for (const name of path) at = at instanceof Map ? at.get(name) : undefined;
  return at;
}

/** `table` with `value` at `path`, or nothing there where `value` is undefined. The rest is shared. */
export function withMeaning(table: Table, path: readonly string[], value: Meaning | undefined): Table {
  const [name, ...rest] = path;
  if (name === undefined) return value instanceof Map ? value : table;
  const copy = new Map(table);
  const inside = table.get(name);
  const next =
    rest.length === 0 ? value : withMeaning(inside instanceof Map ? inside : new Map(), rest, value);
  if (next === undefined) copy.delete(name);
  else copy.set(name, next);
  return copy;
}
