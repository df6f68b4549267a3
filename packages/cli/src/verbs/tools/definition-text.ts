import { canonicalize, isJsonObject, type JsonObject, type JsonValue, own } from '@subluminal/core-types';
import { escapeText } from '../../output/escape.js';

/** The order in which members are read; others follow by name. */
const ORDER = ['name', 'title', 'description', 'inputSchema', 'outputSchema', 'annotations'];

/** The names of the members of both, in reading order. */
export function membersOf(before: JsonObject, after: JsonObject): string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  const known = ORDER.filter((name) => names.has(name));
  return [...known, ...[...names].filter((name) => !ORDER.includes(name)).toSorted()];
}

/**
 * A member as escaped lines: text as it reads, everything else as indented JSON. No lines where it is not
 * there.
 */
export function linesOf(definition: JsonObject, name: string): readonly string[] {
  const value = own(definition, name);
  if (value === undefined) return [];
  if (typeof value === 'string') return value.split('\n').map(escapeText);
  return jsonLines(value);
}

/** The characters of a name that are not plain ASCII, told by number: what they look like proves nothing. */
export function oddCharacters(name: string): string {
  const odd = Array.from(new Set(name)).filter((character) => !/^[ -~]$/.test(character));
  return odd
    .map((character) => {
      const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
      return `\`${escapeText(character)}\` is U+${code}`;
    })
    .join(', ');
}

function jsonLines(value: JsonValue, indent = ''): string[] {
  if (Array.isArray(value)) {
    const items: readonly JsonValue[] = value;
    return nested(
      '[',
      items.map((item) => jsonLines(item, `${indent}  `)),
      ']',
      indent,
    );
  }
  if (value === null || !isJsonObject(value)) return [`${indent}${escapeText(canonicalize(value))}`];
  const members = Object.keys(value)
    .toSorted()
    .map((key) => {
      const [first = '', ...rest] = jsonLines(value[key] ?? null, `${indent}  `);
      return [`${indent}  ${escapeText(JSON.stringify(key))}: ${first.trimStart()}`, ...rest];
    });
  return nested('{', members, '}', indent);
}

function nested(open: string, parts: readonly string[][], close: string, indent: string): string[] {
  if (parts.length === 0) return [`${indent}${open}${close}`];
  const inner = parts.flatMap((part, at) =>
    at === parts.length - 1 ? part : [...part.slice(0, -1), `${part.at(-1) ?? ''},`],
  );
  return [`${indent}${open}`, ...inner, `${indent}${close}`];
}
