import { Lexer, Parser } from 'yaml';

/**
 * More than any bundle within its 64 levels needs (a document and its scalar count as well), and few enough
 * for the library, whose reading is recursive: at the end of the stack it does not merely throw, a regular
 * expression that is compiled there ends the whole process.
 */
const MAX_STACK = 160;

/** Where a YAML text is nested too deeply for the library to read, or undefined. Needs constant stack. */
export function tooDeepAt(source: string): number | undefined {
  const parser = new Parser();
  for (const lexeme of new Lexer().lex(source)) {
    // The tokens themselves are of no use here; drawing them is what advances the parser.
    const tokens = parser.next(lexeme);
    while (tokens.next().done !== true);
    if (parser.stack.length > MAX_STACK) return parser.offset;
  }
  return undefined;
}
