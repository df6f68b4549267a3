import { isJsonObject, type JsonValue, startOf } from '@subluminal/core-types';

/** Names that decide what a message means, and what they fold to. */
export interface Names {
  readonly exact: ReadonlySet<string>;
  readonly folded: ReadonlySet<string>;
}

/** Names that every reader takes for themselves: nothing in them folds. */
const FOLDED = /^[a-z0-9_$./-]*$/;

/** The keys of a JSON-RPC message. */
export const ENVELOPE_KEYS = namesOf('jsonrpc', 'id', 'method', 'params', 'result', 'error');

/** The keys of a tool call's params that decide what it does. */
export const TOOL_CALL_KEYS = namesOf('name', 'arguments');

/**
 * The keys of a result, or of a notification's params, by which a server asks for something or tells of an
 * error.
 */
export const ASKING_KEYS = namesOf('resultType', 'inputRequests', 'error');

/** The keys of a JSON-RPC error. */
export const ERROR_KEYS = namesOf('code', 'message', 'data');

/** The key of an error's data that is the gateway's own. */
export const OWN_DATA_KEYS = namesOf('subluminal');

/** No name of the protocol is longer, whatever it is spelt like. */
const MAX_READ = 64;

/**
 * The reading of a name by a lenient reader: some decoders match names without regard to case (Go's by
 * Unicode's simple folding, Java's by both cases of a letter), and for those written in C a text ends at its
 * first NUL.
 */
export function foldName(name: string): string {
  if (FOLDED.test(name)) return name;
  const end = name.indexOf('\0');
  // Folding up and then down maps ſ, K (Kelvin) and ı as well, İ leaves its dot; it folds a little more
  // than any decoder.
  return (end < 0 ? name : name.slice(0, end)).toUpperCase().toLowerCase().replaceAll('\u0307', '');
}

/**
 * Control characters, and those that show nothing: joiners, marks of direction, soft hyphens, variation
 * selectors, fillers.
 */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/u;
const PERCENT_BYTE = /%[0-9A-Fa-f]{2}/;
/**
 * Letters, digits and signs of ASCII, without the percent sign: each shows, and normalisation leaves it as it
 * is.
 */
const PLAIN = /^[!-$&-~]*$/;

/**
 * Tells whether some readers take `text` for another one: it has characters that show nothing, forms that
 * compatibility normalisation replaces (fullwidth letters), spaces around it, or percent-encoded bytes. The
 * standard's names have none.
 */
export function hasOtherReadings(text: string): boolean {
  if (PLAIN.test(text)) return false;
  return UNSEEN.test(text) || PERCENT_BYTE.test(text) || text.normalize('NFKC').trim() !== text;
}

/**
 * A program in JavaScript that copies an object by assignment takes names below this one for names of the
 * object itself.
 */
const PROTOTYPE = '__proto__';
/**
 * A character stands for one of ASCII when its compatibility form has one: fullwidth letters, ligatures,
 * spaces of other widths.
 */
const ASCII = /[\0-\x7f]/;
const WIDTH_FORM = /[\uff00-\uffef]/;
const BEYOND_ASCII = /[^\0-\x7f]/gu;
/**
 * No tool declares a longer name. The time to normalise one grows with the square of the marks that follow
 * each other.
 */
const MAX_BEYOND_ASCII = 512;

/**
 * Tells whether some servers read the name of an argument as another one. Such are `__proto__`, names with
 * characters that show nothing or stand for others, with percent-encoded bytes, or with spaces around them,
 * names that end as a list in a query does (`path[]`), and names beyond ASCII that are too long to be looked
 * at.
 */
export function isReadAsAnother(name: string): boolean {
  if (name === PROTOTYPE || (name.endsWith(']') && name.indexOf('[') > 0)) return true;
  if (PLAIN.test(name)) return false;
  if (name.length > MAX_BEYOND_ASCII) return true;
  if (UNSEEN.test(name) || PERCENT_BYTE.test(name) || WIDTH_FORM.test(name)) return true;
  if (name.trim() !== name || name.normalize('NFC') !== name) return true;
  for (const [character] of name.matchAll(BEYOND_ASCII))
    if (ASCII.test(character.normalize('NFKC'))) return true;
  return false;
}

/** Tells whether one of the names in `value`, at any depth, is `__proto__`. */
export function namesPrototype(value: JsonValue): boolean {
  if (Array.isArray(value)) return value.some(namesPrototype);
  if (!isJsonObject(value)) return false;
  return Object.entries(value).some(([key, member]) => key === PROTOTYPE || namesPrototype(member));
}

/** The start of a name for people: what they could not see, or take for another letter, as its number. */
export function shownName(name: string): string {
  return startOf(name, 40).replaceAll(
    /[^ -~]/gu,
    (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`,
  );
}

/** The letters of a method in lower case, which is all that a router may look at. */
export function lettersOf(method: string): string {
  return foldName(method).replaceAll(/[^a-z]/g, '');
}

/**
 * Tells whether a lenient reader sees one of `names` as `key`, or in it, and `key` is spelt unlike the
 * standard.
 */
export function isVariantOf(names: Names, key: string): boolean {
  if (names.exact.has(key)) return false;
  if (key === PROTOTYPE) return true;
  const read = key.slice(0, MAX_READ);
  if (key.length > MAX_READ && !read.includes('\0')) return false;
  return names.folded.has(foldName(read));
}

/** The first of `keys` that a lenient reader takes for an earlier one. */
export function repeatedName(keys: readonly string[]): string | undefined {
  if (keys.length < 2) return undefined;
  const seen = new Set<string>();
  return keys.find((key) => seen.size === seen.add(foldName(key)).size);
}

/** Makes a set of names. */
export function namesOf(...names: readonly string[]): Names {
  return { exact: new Set(names), folded: new Set(names.map(foldName)) };
}
