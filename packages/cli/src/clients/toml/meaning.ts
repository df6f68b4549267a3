import { parse, TomlDate } from 'smol-toml';
import { TomlSyntax } from './cursor.js';
import type { PairNode, SectionNode, Span, ValueNode } from './nodes.js';

/** What a TOML value means: a text, a table, a list, or one of the others in a form that can be compared. */
export type Meaning = string | Scalar | readonly Meaning[] | Table;
export type Table = ReadonlyMap<string, Meaning>;

/** A number, a boolean or a time. */
export interface Scalar {
  readonly scalar: string;
}

type Building = Map<string, Meaning | BuildingList>;
type BuildingList = Building[];

/** The same for both: by the library. Throws `TomlError`. */
export function libraryMeaning(text: string): Table {
  return fromLibrary(parse(text, { integersAsBigInt: 'asNeeded' })) as Table;
}

/** What one value in its source form means, by the library. Throws `TomlError`. */
export function valueMeaning(source: string): Meaning {
  return libraryMeaning(`v = ${source}\n`).get('v') ?? new Map();
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

/** What the scanned sections mean, by us; only numbers, booleans and times are read by the library. */
export function scannedMeaning(text: string, sections: readonly SectionNode[]): Table {
  const root: Building = new Map();
  for (const { header, pairs } of sections) {
    let table = root;
    if (header !== undefined) {
      const names = header.path.map((part) => part.text);
      const last = names.pop() ?? '';
      const parent = tableAt(root, names, header);
      table = header.list ? nextOf(parent, last, header) : tableAt(parent, [last], header);
    }
    for (const pair of pairs) put(table, pair, text);
  }
  return root;
}

function put(table: Building, pair: PairNode, text: string): void {
  const names = pair.key.map((part) => part.text);
  const last = names.pop() ?? '';
  const parent = tableAt(table, names, pair);
  if (parent.has(last)) throw new TomlSyntax('a key stands there twice', pair.start);
  parent.set(last, meaningOf(pair.value, text));
}

function meaningOf(node: ValueNode, text: string): Meaning {
  switch (node.kind) {
    case 'string':
      return node.text;
    case 'scalar':
      return valueMeaning(text.slice(node.start, node.end));
    case 'array':
      return node.items.map((item) => meaningOf(item, text));
    case 'inline': {
      const table: Building = new Map();
      for (const pair of node.pairs) put(table, pair, text);
      return table;
    }
  }
}

/** The table at `names` below `table`, made where nothing is; of a list of tables the last one. */
function tableAt(table: Building, names: readonly string[], where: Span): Building {
  let at = table;
  for (const name of names) {
    const next = at.get(name);
    const inside = Array.isArray(next) ? next.at(-1) : next;
    if (inside === undefined) {
      const made: Building = new Map();
      at.set(name, made);
      at = made;
    } else if (inside instanceof Map) {
      at = inside as Building;
    } else {
      throw new TomlSyntax(`\`${name}\` is no table`, where.start);
    }
  }
  return at;
}

function nextOf(table: Building, name: string, where: Span): Building {
  const list = table.get(name) ?? [];
  if (!Array.isArray(list)) throw new TomlSyntax(`\`${name}\` is no list of tables`, where.start);
  const made: Building = new Map();
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

/** What stands at `path`, undefined where nothing does. */
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
