import { type ClassRange, type GlobPart, parseGlob } from './glob-parse.js';
import { MAX_PATTERN_LENGTH } from './limits.js';
import { globLiterals, type Literals } from './literals.js';
import { anyTest, compileRegexUnlimited, type NameTest, type PatternResult } from './regex.js';

/**
 * Compiles a glob. It has to match the whole name and knows upper from lower case: `*` any characters, also
 * none and also `/`; `?` one character; `[a-z_]` one of these, `[!a-z]` one that is none of these;
 * `{get,list}` one of these texts; `\` takes the next character literally. Always linear in the length of the
 * name. `normal` is the same for globs that differ only in how they are written (`a**`, `a*`).
 */
export function compileGlob(source: string): PatternResult {
  if (source === '') return { ok: false, code: 'empty_pattern', why: 'the glob is empty' };
  if (source.length > MAX_PATTERN_LENGTH) {
    const why = `the glob has ${source.length} characters; at most ${MAX_PATTERN_LENGTH} are allowed`;
    return { ok: false, code: 'pattern_too_large', why };
  }
  const parsed = parseGlob(source);
  if (!parsed.ok) return { ok: false, code: 'bad_glob', why: parsed.why };
  const normal = parsed.parts.map(partSource).join('');
  const literals = globLiterals(parsed.parts);
  if (isTold(parsed.parts, literals)) {
    return { ok: true, normal, test: anyTest(literals.map(segmentTest)), literals, size: 0 };
  }
  const compiled = compileRegexUnlimited(parsed.parts.map(partRegex).join(''));
  return { ok: true, normal, ...compiled, literals };
}

/** Whether the literals of a glob are all of it: it has nothing but texts, stars and few alternatives. */
function isTold(parts: readonly GlobPart[], literals: Literals): boolean {
  let ways = 1;
  for (const part of parts) {
    if (part.type === 'either') ways *= part.texts.length;
    else if (part.type !== 'text' && part.type !== 'star') return false;
  }
  return ways === literals.length;
}

/**
 * First text at the start, last text at the end, the others leftmost in between: no step is ever taken back.
 * One character is compared first, since most names fail there and a call of `startsWith` costs ten times as
 * much.
 */
function segmentTest(segments: readonly string[]): NameTest {
  const first = segments[0] ?? '';
  const last = segments.at(-1) ?? '';
  const middle = segments.slice(1, -1);
  const head = first.charCodeAt(0);
  if (segments.length === 1 && first === '') return (name) => name === '';
  if (segments.length === 1) return (name) => name.charCodeAt(0) === head && name === first;
  if (middle.length === 0 && last === '') {
    return first === '' ? () => true : (name) => name.charCodeAt(0) === head && name.startsWith(first);
  }
  if (middle.length === 0 && first === '') {
    const tail = last.charCodeAt(last.length - 1);
    return (name) => name.charCodeAt(name.length - 1) === tail && name.endsWith(last);
  }
  return (name) => {
    const end = name.length - last.length;
    if (end < first.length || !name.startsWith(first) || !name.endsWith(last)) return false;
    let at = first.length;
    for (const text of middle) {
      const found = name.indexOf(text, at);
      if (found === -1) return false;
      at = found + text.length;
    }
    return at <= end;
  };
}

function partSource(part: GlobPart): string {
  switch (part.type) {
    case 'text':
      return part.text.replaceAll(/[*?[\]{}\\]/g, String.raw`\$&`);
    case 'star':
      return '*';
    case 'one':
      return '?';
    case 'class':
      return `[${part.negated ? '!' : ''}${part.ranges.map(rangeSource).join('')}]`;
    case 'either':
      return `{${part.texts.map((text) => text.replaceAll(/[*?[\]{},\\]/g, String.raw`\$&`)).join(',')}}`;
  }
}

function rangeSource([from, to]: ClassRange): string {
  const first = escapeInClass(from);
  return from === to ? first : `${first}-${escapeInClass(to)}`;
}

function escapeInClass(point: number): string {
  return String.fromCodePoint(point).replace(/[\]\\!^-]/, String.raw`\$&`);
}

function partRegex(part: GlobPart): string {
  switch (part.type) {
    case 'text':
      return literal(part.text);
    case 'star':
      return '.*';
    case 'one':
      return '.';
    case 'class':
      return `[${part.negated ? '^' : ''}${part.ranges.map(([from, to]) => `${code(from)}-${code(to)}`).join('')}]`;
    case 'either':
      return `(?:${part.texts.map(literal).join('|')})`;
  }
}

/** Every character that is not a letter or a digit as its number, so that none can mean anything. */
function literal(text: string): string {
  return Array.from(text)
    .map((character) => (/^[A-Za-z0-9_]$/.test(character) ? character : codeOf(character)))
    .join('');
}

function codeOf(character: string): string {
  return code(character.codePointAt(0) ?? 0);
}

function code(point: number): string {
  return String.raw`\x{${point.toString(16)}}`;
}
