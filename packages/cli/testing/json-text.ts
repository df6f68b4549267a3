import {
  array,
  constantFrom,
  double,
  letrec,
  oneof,
  record,
  string,
  tuple,
  type Arbitrary,
} from 'fast-check';

/** A JSON text in many layouts, and the value that it means. */
export interface JsonText {
  readonly text: string;
  readonly value: unknown;
}

const SPACES = ['', '', ' ', '\n', '\r\n', '\t', '  \n  ', ' \r\n\t'] as const;
const COMMENTS = ['', '', ' ', '\n', '/* a , } " */', '// b , ] " \n', '\r\n// c\r\n', '\t/**/ '] as const;

/** Texts of JSON, or of JSON with comments and trailing commas. Keys are unique in their object. */
export function jsonTexts(withComments: boolean): Arbitrary<JsonText> {
  return layouts(withComments).tree;
}

/** As `jsonTexts`, of objects alone. */
export function objectTexts(withComments: boolean): Arbitrary<JsonText> {
  return layouts(withComments).object;
}

/** A key or text in one of its spellings. */
export const stringTexts: Arbitrary<JsonText> = tuple(
  oneof(string({ unit: 'binary', maxLength: 8 }), constantFrom('__proto__', 'mcpServers', '//', 'é', '${A}')),
  constantFrom(true, false),
).map(([value, isEscaped]) => ({ text: isEscaped ? escaped(value) : JSON.stringify(value), value }));

/** White space, and comments where there may be some. */
export function gaps(withComments: boolean): Arbitrary<string> {
  return withComments ? constantFrom(...COMMENTS) : constantFrom(...SPACES);
}

function layouts(withComments: boolean): {
  readonly tree: Arbitrary<JsonText>;
  readonly object: Arbitrary<JsonText>;
} {
  const gap = gaps(withComments);
  const trailing = withComments ? constantFrom('', ',') : constantFrom('');
  return letrec<{ tree: JsonText; object: JsonText; list: JsonText; leaf: JsonText }>((tie) => ({
    tree: oneof({ maxDepth: 4, withCrossShrink: true }, tie('leaf'), tie('object'), tie('list')),
    leaf: oneof(
      stringTexts,
      constantFrom(
        { text: 'null', value: null },
        { text: 'true', value: true },
        { text: '123456789012345678901234567890', value: 1.2345678901234568e29 },
        { text: '1.0', value: 1 },
        { text: '-0', value: -0 },
      ),
      double({ noNaN: true, noDefaultInfinity: true }).map((value) => ({
        text: Object.is(value, -0) ? '-0' : String(value),
        value,
      })),
    ),
    list: record({ items: array(tuple(gap, tie('tree'), gap), { maxLength: 4 }), end: gap, trailing }).map(
      ({ items, end, trailing: last }) => ({
        text: `[${items.map(([a, item, b]) => `${a}${item.text}${b}`).join(',')}${items.length > 0 ? last : ''}${end}]`,
        value: items.map(([, item]) => item.value),
      }),
    ),
    object: record({
      members: array(tuple(gap, stringTexts, gap, gap, tie('tree'), gap), { maxLength: 4 }),
      end: gap,
      trailing,
    }).map(({ members, end, trailing: last }) => {
      const unique = members.filter(
        ([, key], index) => members.findIndex(([, other]) => other.value === key.value) === index,
      );
      const value = Object.fromEntries(unique.map(([, key, , , item]) => [String(key.value), item.value]));
      const text = unique.map(([a, key, b, c, item, d]) => `${a}${key.text}${b}:${c}${item.text}${d}`);
      return { text: `{${text.join(',')}${unique.length > 0 ? last : ''}${end}}`, value };
    }),
  }));
}

/** Every character as an escape. */
function escaped(value: string): string {
  let text = '';
  for (let index = 0; index < value.length; index += 1) {
    text += `\\u${value.charCodeAt(index).toString(16).padStart(4, '0')}`;
  }
  return `"${text}"`;
}
