import type { YAMLError } from 'yaml';
import { quoted } from '../problem/problem.js';

/** The fault of a YAML text at one place, and the text that is allowed there. */
export interface SyntaxWords {
  readonly message: string;
  readonly help: string;
}

type Code = YAMLError['code'];

/** `quoted` shortens further; this keeps a token of a whole file out of the work. */
const MAX_SHOWN = 100;

const QUOTES = 'put a text with special characters in double quotes';
const LINE_UP =
  'indent the items of one mapping or list by the same number of spaces, and more than what holds them';
const COLON = 'write `key: value` in one line, with a space after the `:`';
const NO_TAG = 'remove the tag; put a text in double quotes where its type is in doubt';
const NAME = 'give it a name of letters and digits, as in `&limits` and `*limits`';

const WORDS: Readonly<Partial<Record<Code, SyntaxWords>>> = {
  ALIAS_PROPS: { message: 'an alias has an anchor or a tag of its own', help: 'write the alias alone' },
  BAD_ALIAS: { message: 'an anchor or alias has no name, or one that ends in `:`', help: NAME },
  BAD_COLLECTION_TYPE: { message: 'a tag does not fit what it stands before', help: NO_TAG },
  BAD_DIRECTIVE: { message: 'a directive cannot be read', help: 'remove the `%` line' },
  BAD_INDENT: { message: 'this does not line up with the lines above it', help: LINE_UP },
  BAD_PROP_ORDER: {
    message: 'an anchor or tag stands too early',
    help: 'write it behind the `-`, `?` or `:`',
  },
  BLOCK_AS_IMPLICIT_KEY: {
    message: 'a value begins a mapping or list in the middle of its line, or does not line up',
    help: `${QUOTES} (\`: \` is one); begin a nested mapping or list on a line of its own, indented`,
  },
  BLOCK_IN_FLOW: {
    message: 'inside `[…]` or `{…}` stands what needs a `,` between, or lines of its own',
    help: 'put a `,` between items, and write nested lists as `[…]`, nested mappings as `{…}`',
  },
  KEY_OVER_1024_CHARS: { message: 'a key has more than 1,024 characters', help: 'shorten it' },
  MULTILINE_IMPLICIT_KEY: { message: 'a key is spread over lines, or its `:` is missing', help: COLON },
  MULTIPLE_ANCHORS: { message: 'a value has two anchors', help: 'keep one' },
  MULTIPLE_TAGS: { message: 'a value has two tags', help: NO_TAG },
  TAG_RESOLVE_FAILED: { message: 'a tag cannot be read', help: NO_TAG },
};

/** Missing characters by what the library says of them; the first that occurs decides. */
const MISSING: readonly (readonly [string, SyntaxWords])[] = [
  ['closing "quote', { message: 'the closing `"` is missing', help: 'end the text with `"`' }],
  ["closing 'quote", { message: "the closing `'` is missing", help: "end the text with `'`" }],
  [
    'Comments must',
    { message: 'a comment touches what stands before it', help: 'put a space before the `#`' },
  ],
  ['Tags and anchors', { message: 'a tag or anchor touches what follows', help: 'put a space behind it' }],
  [
    'Missing , ',
    {
      message: 'a `,` or `:` is missing in `[…]` or `{…}`',
      help: 'put a `,` between items, a `: ` behind keys',
    },
  ],
  ['map keys need', { message: 'a key has no value: its `:` is missing', help: COLON }],
  ['without - indicator', { message: 'an item of a list has no `- `', help: 'begin each item with `- `' }],
  ['directives-end', { message: 'a `---` or `%` line is not allowed here', help: 'remove it' }],
];

/** Says in our own words what the YAML library found: lowercase, the file's own text in backticks. */
export function syntaxWords(source: string, error: YAMLError): SyntaxWords {
  const { code, message, pos } = error;
  const [from, to] = pos;
  const known = WORDS[code];
  if (known !== undefined && !(code === 'BAD_INDENT' && message.includes('end with a'))) return known;
  switch (code) {
    case 'BAD_INDENT': {
      const bracket = message.includes('end with a ]') ? ']' : '}';
      const help = 'close it, and indent its lines more than the key before it';
      return { message: `the closing \`${bracket}\` is missing, or stands too far to the left`, help };
    }
    case 'BAD_DQ_ESCAPE':
      return {
        message: `${quoted(source.slice(from, from + 2))} is no escape in double quotes`,
        help: "write `\\\\` for a backslash, or put the text in `'` quotes",
      };
    case 'BAD_SCALAR_START':
      return { message: `a text cannot begin with ${quoted(source.slice(from, to))}`, help: QUOTES };
    case 'MISSING_CHAR': {
      const found = MISSING.find(([words]) => message.includes(words));
      return found?.[1] ?? { message: 'something is missing before this', help: LINE_UP };
    }
    case 'UNEXPECTED_TOKEN':
      return {
        message: `${quoted(firstLine(source.slice(from, Math.min(to, from + MAX_SHOWN))))} does not belong here`,
        help: `${LINE_UP}; close each bracket and quote once; ${QUOTES}`,
      };
    default:
      return { message: 'the text is not yaml from here on', help: 'correct the yaml there' };
  }
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}
