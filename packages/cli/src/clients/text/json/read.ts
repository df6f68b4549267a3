import { createScanner, parseTree, printParseErrorCode, type Node, type ParseError } from 'jsonc-parser';
import { TextProblem } from '../../../text/text-problem.js';
import type { JsonMember, JsonNode } from './tree.js';

/** Which JSON a client reads. A text that the client refuses is refused here too, and not touched. */
export interface Dialect {
  readonly comments: boolean;
  readonly trailingCommas: boolean;
}

/** RFC 8259: Claude's files. A comment makes that client drop the whole file. */
export const STRICT: Dialect = { comments: false, trailingCommas: false };

/** With comments, as Gemini CLI reads it. */
export const WITH_COMMENTS: Dialect = { comments: true, trailingCommas: false };

/** With comments and trailing commas, as VS Code reads it. */
export const JSONC: Dialect = { comments: true, trailingCommas: true };

/** How deep values may nest. The library recurses, and does not bound itself. */
const MAX_DEPTH = 256;

/** The library's words for what is wrong, as far as they can be said better. */
const PROBLEMS: Readonly<Record<string, string>> = {
  InvalidSymbol: 'this is not JSON',
  PropertyNameExpected: 'a key must be a text in double quotes',
  ValueExpected: 'this is no value',
  ColonExpected: '`:` is missing',
  CommaExpected: '`,` or the closing bracket is missing',
  CloseBraceExpected: '`}` is missing',
  CloseBracketExpected: '`,` or `]` is missing',
  EndOfFileExpected: 'there is text after the value',
  InvalidCommentToken: 'a comment, which this client does not read',
  UnexpectedEndOfComment: 'this comment does not end',
  UnexpectedEndOfString: 'this text does not end on its line',
  UnexpectedEndOfNumber: 'this number does not end',
  InvalidUnicode: 'an unknown escape in a text',
  InvalidEscapeCharacter: 'an unknown escape in a text',
  InvalidCharacter: 'a control character in a text',
};

/**
 * The value of a text, with the place of everything in it; undefined where the text holds no value at all. A
 * byte order mark may begin it. Throws `TextProblem`: what is not of the dialect, a key that stands twice
 * (which one counts would depend on the reader), or too deep nesting.
 */
export function readJson(text: string, dialect: Dialect): JsonNode | undefined {
  // The library knows no byte order mark. A blank in its place keeps every offset.
  const plain = text.replace(/^\ufeff/, ' ');
  refuseDepth(plain);
  const errors: ParseError[] = [];
  const root = parseTree(plain, errors, {
    disallowComments: !dialect.comments,
    allowTrailingComma: dialect.trailingCommas,
    allowEmptyContent: true,
  });
  const [first, second] = errors.map(({ error, offset }) => ({ name: printParseErrorCode(error), offset }));
  if (first !== undefined) {
    // The error behind a symbol says what is missing in its place.
    const { name } = first.name === 'InvalidSymbol' ? (second ?? first) : first;
    throw new TextProblem(PROBLEMS[name] ?? name, text, first.offset);
  }
  return root === undefined ? undefined : nodeOf(root, text);
}

function refuseDepth(text: string): void {
  const scanner = createScanner(text, true);
  for (let depth = 0; ;) {
    scanner.scan();
    const at = scanner.getTokenOffset();
    if (at >= text.length) return;
    const token = text.charAt(at);
    if (token === '}' || token === ']') depth -= 1;
    if (token !== '{' && token !== '[') continue;
    if (depth === MAX_DEPTH) {
      throw new TextProblem(`values are nested deeper than ${MAX_DEPTH} levels`, text, at);
    }
    depth += 1;
  }
}

function nodeOf(node: Node, text: string): JsonNode {
  const span = { start: node.offset, end: node.offset + node.length };
  const children = node.children ?? [];
  if (node.type === 'object') return { ...span, kind: 'object', members: membersOf(children, text) };
  if (node.type === 'array') {
    return { ...span, kind: 'array', items: children.map((child) => nodeOf(child, text)) };
  }
  const value: unknown = node.value;
  return typeof value === 'string' ? { ...span, kind: 'string', value } : { ...span, kind: 'plain', value };
}

function membersOf(properties: readonly Node[], text: string): readonly JsonMember[] {
  const members = new Map<string, JsonMember>();
  for (const { children: [key, value] = [] } of properties) {
    // A member without a value is one of the library's errors, and never comes here.
    if (key === undefined || value === undefined) throw new RangeError('a member without a value');
    const name = String(key.value);
    if (members.has(name)) throw new TextProblem('this key stands twice in its object', text, key.offset);
    members.set(name, {
      key: name,
      keyStart: key.offset,
      keyEnd: key.offset + key.length,
      value: nodeOf(value, text),
    });
  }
  return [...members.values()];
}
