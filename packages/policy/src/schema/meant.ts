import { type Path, quoted } from '../problem/problem.js';
import type { Tree } from '../source/tree.js';
import { allowedKeys } from './allowed.js';

/** Lists of a mapping that takes plain texts, the most usual one first. */
const TEXT_LISTS = ['glob', 'argv', 'verbs', 'utc_hours'] as const;
/** A text that stands in an example, and the texts of one. */
const MAX_TEXT = 60;
const MAX_TEXTS = 3;
/** Slips of the fingers in a key. */
const MAX_SLIPS = 2;

/**
 * A key that a mapping may have and that somebody meant who wrote another one; undefined where none comes
 * near.
 */
export function meantKey(allowed: readonly string[], key: string): string | undefined {
  const word = key.toLowerCase().slice(0, MAX_TEXT);
  if (word.length < 2) return undefined;
  const within = allowed.filter(
    (one) => one.startsWith(`${word}_`) || `${word}s` === one || word === `${one}s`,
  );
  const [only] = within;
  if (only !== undefined && within.length === 1) return only;
  const near = allowed
    .map((one) => ({ one, slips: slipsBetween(word, one) }))
    .filter(({ one, slips }) => slips <= MAX_SLIPS && slips * 2 < one.length)
    .toSorted((a, b) => a.slips - b.slips);
  return near[0]?.one;
}

/** The nearest mapping around `parent` that may have a key which `parent` may not; undefined for none. */
export function placeOfKey(tree: Tree, parent: Path, key: string): Path | undefined {
  for (let length = parent.length - 1; length > 0; length -= 1) {
    const around = parent.slice(0, length);
    if (allowedKeys(tree, around).includes(key)) return [...around, key];
  }
  return undefined;
}

/**
 * How a value that was written as a text, or as a list of texts, is written as a mapping or a list there:
 * `{ glob: ["a"] }`. Undefined where that cannot be told.
 */
export function asWritten(
  tree: Tree,
  path: Path,
  value: Tree | undefined,
  isList: boolean,
): string | undefined {
  const given = Array.isArray(value) ? value : [value];
  if (given.length === 0 || given.length > MAX_TEXTS) return undefined;
  const texts = given.filter((one) => typeof one === 'string' && /^[ -_a-~]*$/.test(one));
  if (texts.length !== given.length || texts.some((one) => String(one).length > MAX_TEXT)) return undefined;
  const list = `[${texts.map((one) => JSON.stringify(one)).join(', ')}]`;
  if (isList) return list;
  const keys = allowedKeys(tree, path);
  const name = TEXT_LISTS.find((one) => keys.includes(one));
  return name === undefined ? undefined : `{ ${name}: ${list} }`;
}

/** The help for a value of another type: how it is written there, else the keys that it may have. */
export function mappingHelp(tree: Tree, path: Path, value: Tree | undefined): string {
  const written = asWritten(tree, path, value, false);
  if (written !== undefined) return `write ${quoted(`${String(path.at(-1))}: ${written}`)}`;
  const keys = allowedKeys(tree, path);
  return keys.length === 0
    ? 'write a mapping'
    : `write a mapping with some of ${keys.map(quoted).join(', ')}`;
}

/** Letters that were added, left out, changed, or swapped with their neighbour. */
function slipsBetween(one: string, other: string): number {
  if (Math.abs(one.length - other.length) > MAX_SLIPS) return MAX_SLIPS + 1;
  let before: readonly number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let i = 1; i <= one.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= other.length; j += 1) {
      const cost = one[i - 1] === other[j - 1] ? 0 : 1;
      const isSwap = one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      const swapped = i > 1 && j > 1 && isSwap ? (before[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY;
      row.push(Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + cost, swapped));
    }
    [before, last] = [last, row];
  }
  return last[other.length] ?? 0;
}
