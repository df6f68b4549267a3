/**
 * A token of SQL. `word`: upper case. `name`: a quoted identifier. `text`: a string. `body`: a dollar-quoted
 * text, which may be code. `mark`: one other character.
 */
export type Token =
  | { readonly is: 'word' | 'mark'; readonly text: string }
  | { readonly is: 'name' | 'text' | 'body'; readonly text: string };

/** A query has so many tokens at most: beyond them it is not read. */
const MAX_TOKENS = 8192;

/**
 * Splits a query into tokens, whatever the dialect: comments of three kinds, executable comments of MySQL
 * (read as code), strings with doubled quotes and backslashes, identifiers in `"`, backticks and brackets,
 * and dollar quotes of PostgreSQL. One pass, no step back.
 * @returns undefined where something is left open, or the query has too many tokens.
 */
export function tokensOf(query: string): readonly Token[] | undefined {
  const tokens: Token[] = [];
  for (let at = 0; at < query.length;) {
    if (tokens.length > MAX_TOKENS) return undefined;
    const next = readToken(query, at);
    if (next === undefined) return undefined;
    if (next.token !== undefined) tokens.push(next.token);
    at = next.end;
  }
  return tokens;
}

interface Read {
  readonly token?: Token;
  readonly end: number;
}

function readToken(query: string, at: number): Read | undefined {
  const char = query.charAt(at);
  const two = query.slice(at, at + 2);
  if (two === '--' || char === '#') return lineComment(query, at);
  // `/*! … */` is code for MySQL: its marks are skipped, and its content is read.
  if (two === '*/') return { end: at + 2 };
  if (two === '/*')
    return /^\/\*M?!/.test(query.slice(at, at + 4))
      ? { end: skipDigits(query, query.indexOf('!', at) + 1) }
      : comment(query, at);
  if (char === "'") return quoted(query, at, 'text', true);
  if (char === '"' || char === '`') return quoted(query, at, 'name', false);
  if (char === '[') return bracketed(query, at);
  if (char === '$') return dollar(query, at);
  if (isWordStart(char)) return word(query, at);
  return char.trim() === '' ? { end: at + 1 } : { token: { is: 'mark', text: char }, end: at + 1 };
}

/** A text that is a statement for one dialect, and none for another. */
const DESTROYS = /;|\b(?:drop|truncate|delete|alter|update|insert|grant|exec(?:ute)?)\s/i;

/**
 * `-- x` to the end of its line. `#x` is an operator for PostgreSQL, and `--x` is two signs for MySQL: with
 * statements behind it, such a line is not read.
 */
function lineComment(query: string, at: number): Read | undefined {
  const length = query.slice(at).search(/[\r\n]/);
  const end = length === -1 ? query.length : at + length;
  const isPlain = query.charAt(at) === '-' && /\s|^$/.test(query.charAt(at + 2));
  if (!isPlain && DESTROYS.test(query.slice(at, end))) return undefined;
  return { end };
}

function comment(query: string, at: number): Read | undefined {
  const end = query.indexOf('*/', at + 2);
  return end === -1 ? undefined : { end: end + 2 };
}

function skipDigits(query: string, at: number): number {
  let end = at;
  while (isDigit(query.charAt(end))) end += 1;
  return end;
}

/** A doubled quote stands for itself; in strings a backslash takes the next character. */
function quoted(query: string, at: number, is: 'text' | 'name', escapes: boolean): Read | undefined {
  const quote = query.charAt(at);
  let isEscaped = false;
  for (let end = at + 1; end < query.length; end += 1) {
    const char = query.charAt(end);
    if (escapes && char === '\\') {
      end += 1;
      isEscaped ||= query.charAt(end) === quote;
    } else if (char === quote && query.charAt(end + 1) === quote) end += 1;
    else if (char === quote) {
      const text = query.slice(at + 1, end);
      // For standard SQL the string ends at the backslash: code may follow there.
      return isEscaped && DESTROYS.test(text) ? undefined : { token: { is, text }, end: end + 1 };
    }
  }
  return undefined;
}

/** `[name]` of SQL Server; an index of an array is read as one as well, which changes no verb. */
function bracketed(query: string, at: number): Read | undefined {
  const end = query.indexOf(']', at + 1);
  if (end === -1 || query.slice(at, end).includes('\n'))
    return { token: { is: 'mark', text: '[' }, end: at + 1 };
  const text = query.slice(at + 1, end);
  return DESTROYS.test(text) ? undefined : { token: { is: 'name', text }, end: end + 1 };
}

function dollar(query: string, at: number): Read | undefined {
  let open = at + 1;
  while (isWordPart(query.charAt(open)) && query.charAt(open) !== '$') open += 1;
  // `$1` is a parameter.
  if (query.charAt(open) !== '$' || isDigit(query.charAt(at + 1)))
    return { token: { is: 'mark', text: '$' }, end: at + 1 };
  const tag = query.slice(at, open + 1);
  const end = query.indexOf(tag, open + 1);
  if (end === -1) return undefined;
  return { token: { is: 'body', text: query.slice(open + 1, end) }, end: end + tag.length };
}

function word(query: string, at: number): Read {
  let end = at + 1;
  while (isWordPart(query.charAt(end))) end += 1;
  return { token: { is: 'word', text: query.slice(at, end).toUpperCase() }, end };
}

function isDigit(char: string): boolean {
  return char >= '0' && char <= '9';
}

function isWordStart(char: string): boolean {
  return (
    (char >= 'a' && char <= 'z') ||
    (char >= 'A' && char <= 'Z') ||
    char === '_' ||
    isDigit(char) ||
    char > '\u007f'
  );
}

function isWordPart(char: string): boolean {
  return char !== '' && (isWordStart(char) || char === '$');
}
