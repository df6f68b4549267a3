/// <reference lib="es2024.string" preserve="true" />
/**
 * A second reader of JSON, written apart from the product's and for clearness alone: it keeps every member of
 * an object in its order, so that each way in which readers differ can be asked of one text.
 */
export type Tree =
  | { readonly kind: 'object'; readonly members: readonly (readonly [string, Tree])[] }
  | { readonly kind: 'array'; readonly items: readonly Tree[] }
  | { readonly kind: 'string'; readonly text: string }
  | { readonly kind: 'number'; readonly literal: string }
  | { readonly kind: 'literal'; readonly word: string };

/** The tree of strict JSON (RFC 8259) in UTF-8; undefined for everything else. Duplicate keys are kept. */
export function readTree(bytes: Buffer): Tree | undefined {
  const text = bytes.toString('utf8');
  // Decoding replaces what is not UTF-8, so that encoding again gives other bytes.
  if (!Buffer.from(text).equals(bytes)) return undefined;
  let at = 0;
  const fail = new SyntaxError('no json');
  const space = (): void => {
    while (at < text.length && ' \t\r\n'.includes(text.charAt(at))) at += 1;
  };
  const take = (wanted: string): void => {
    space();
    if (text.charAt(at) !== wanted) throw fail;
    at += 1;
  };
  const string = (): string => {
    take('"');
    const start = at;
    while (text.charAt(at) !== '"') {
      if (at >= text.length || text.charCodeAt(at) < 0x20) throw fail;
      at += text.charAt(at) === '\\' ? 2 : 1;
    }
    at += 1;
    try {
      return JSON.parse(text.slice(start - 1, at));
    } catch {
      throw fail;
    }
  };
  const list = <T>(close: string, item: () => T): T[] => {
    const items: T[] = [];
    at += 1;
    space();
    if (text.charAt(at) === close) {
      at += 1;
      return items;
    }
    for (;;) {
      items.push(item());
      space();
      if (text.charAt(at) === close) break;
      take(',');
    }
    at += 1;
    return items;
  };
  const member = (): readonly [string, Tree] => {
    space();
    const key = string();
    take(':');
    return [key, value()];
  };
  const value = (): Tree => {
    space();
    const first = text.charAt(at);
    if (first === '{') return { kind: 'object', members: list('}', member) };
    if (first === '[') return { kind: 'array', items: list(']', value) };
    if (first === '"') return { kind: 'string', text: string() };
    const word = /^(?:true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)/.exec(
      text.slice(at, at + 4096),
    )?.[0];
    if (word === undefined) throw fail;
    at += word.length;
    return /[a-z]$/.test(word) ? { kind: 'literal', word } : { kind: 'number', literal: word };
  };
  try {
    const tree = value();
    space();
    return at === text.length ? tree : undefined;
  } catch (error) {
    if (error === fail) return undefined;
    throw error;
  }
}

/** Tells whether any object of the tree has a key twice. */
export function hasDuplicates(tree: Tree): boolean {
  if (tree.kind === 'array') return tree.items.some(hasDuplicates);
  if (tree.kind !== 'object') return false;
  const keys = new Set(tree.members.map(([key]) => key));
  return keys.size < tree.members.length || tree.members.some(([, value]) => hasDuplicates(value));
}

/** Tells whether any string or key of the tree is half of a surrogate pair. */
export function hasLoneSurrogates(tree: Tree): boolean {
  if (tree.kind === 'string') return !tree.text.isWellFormed();
  if (tree.kind === 'array') return tree.items.some(hasLoneSurrogates);
  if (tree.kind !== 'object') return false;
  return tree.members.some(([key, value]) => !key.isWellFormed() || hasLoneSurrogates(value));
}

/** How many containers stand inside each other at most. */
export function depthOf(tree: Tree): number {
  if (tree.kind === 'array') return 1 + Math.max(0, ...tree.items.map(depthOf));
  return tree.kind === 'object' ? 1 + Math.max(0, ...tree.members.map(([, value]) => depthOf(value))) : 0;
}

/** The longest number literal. */
export function longestNumber(tree: Tree): number {
  if (tree.kind === 'number') return tree.literal.length;
  if (tree.kind === 'array') return Math.max(0, ...tree.items.map(longestNumber));
  return tree.kind === 'object' ? Math.max(0, ...tree.members.map(([, value]) => longestNumber(value))) : 0;
}

/**
 * Three ways to find a member: the first of equal keys, the last, and the last of those that fold to the
 * same.
 */
export const READINGS = ['first', 'last', 'folded'] as const;
export type Reading = (typeof READINGS)[number];

/** The member of that name as this reading sees it; undefined where there is none, or no object. */
export function memberOf(tree: Tree | undefined, name: string, reading: Reading): Tree | undefined {
  if (tree?.kind !== 'object') return undefined;
  const fits = (key: string): boolean => (reading === 'folded' ? foldKey(key) === name : key === name);
  const found = tree.members.filter(([key]) => fits(key));
  return (reading === 'first' ? found[0] : found.at(-1))?.[1];
}

/** As decoders in C, Go and Java find names: up to a NUL, without case. */
function foldKey(key: string): string {
  const [read = ''] = key.split('\0');
  return read
    .replaceAll('\u017f', 's')
    .replaceAll('\u212a', 'k')
    .replaceAll(/[\u0130\u0131]/g, 'i')
    .toLowerCase();
}
