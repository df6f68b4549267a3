import type { GlobPart } from './glob-parse.js';

/**
 * The texts that a name has to hold, all of one of these lists, where a pattern matches it. An index finds
 * the patterns that can match a name by them; a list without texts says nothing.
 */
export type Literals = readonly (readonly string[])[];

/** For a pattern that may match a name without any known text. */
const NO_LITERALS: Literals = Object.freeze([Object.freeze([])]);

/** More ways to read one glob are not told apart. */
const MAX_WAYS = 32;

/** The texts of a glob; `{get,list}` gives a list for each. */
export function globLiterals(parts: readonly GlobPart[]): Literals {
  let ways: readonly (readonly string[])[] = [['']];
  for (const part of parts) {
    if (part.type === 'text') ways = ways.map((way) => longer(way, part.text));
    else if (part.type === 'either' && ways.length * part.texts.length <= MAX_WAYS) {
      ways = ways.flatMap((way) => part.texts.map((text) => longer(way, text)));
    } else ways = ways.map((way) => [...way, '']);
  }
  return ways;
}

/** The same texts, the last of them longer by `text`. */
function longer(way: readonly string[], text: string): readonly string[] {
  return [...way.slice(0, -1), `${way.at(-1) ?? ''}${text}`];
}

const PLAIN = /[A-Za-z0-9_\-/:@ ]/;

/**
 * The texts of a regex that stand at its top, outside of groups and classes. Careful: what it does not surely
 * know (escapes, flags, alternatives at the top) gives no text.
 */
export function regexLiterals(source: string): Literals {
  if (source.includes('\\') || source.includes('(?')) return NO_LITERALS;
  const texts = [''];
  let depth = 0;
  let isClass = false;
  for (let at = 0; at < source.length; at += 1) {
    const character = source[at] ?? '';
    if (isClass) isClass = character !== ']' || /\[\^?$/.test(source.slice(Math.max(0, at - 2), at));
    else if (character === '[') isClass = true;
    else if (character === '(') depth += 1;
    else if (character === ')') depth -= 1;
    else if (character === '|' && depth === 0) return NO_LITERALS;
    else if (depth === 0 && PLAIN.test(character)) {
      if (!/[*?+{]/.test(source[at + 1] ?? '')) {
        texts.push(`${texts.pop() ?? ''}${character}`);
        continue;
      }
    }
    if (texts.at(-1) !== '') texts.push('');
  }
  return [texts];
}
