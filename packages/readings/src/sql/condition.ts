import type { Token } from './tokens.js';

/** Words of conditions that name no column. */
const NO_COLUMN: ReadonlySet<string> = new Set(
  'AND OR NOT IS NULL TRUE FALSE UNKNOWN IN LIKE ILIKE BETWEEN EXISTS SELECT ALL ANY DISTINCT FROM DUAL CASE WHEN THEN ELSE END E N'.split(
    ' ',
  ),
);
/** Words behind which a statement goes on after its condition. */
const ENDS: ReadonlySet<string> = new Set('ORDER LIMIT RETURNING OPTION FETCH OFFSET ALLOW'.split(' '));
const MAX_DEPTH = 8;

/**
 * Whether a condition holds for every row: one that looks at no column (`1 = 1`, `true`, `'a' like '%'`),
 * that compares a column with itself, or that has such a part behind OR. A false constant counts too:
 * nobody writes one.
 */
export function isAlwaysTrue(condition: readonly Token[], depth = 0): boolean {
  const own = trimmed(condition.slice(0, endOf(condition)));
  if (own.length === 0) return true;
  if (depth > MAX_DEPTH) return false;
  const choices = parted(own, 'OR');
  if (choices.length > 1) return choices.some((one) => isAlwaysTrue(one, depth + 1)) || areOpposites(choices);
  const parts = parted(own, 'AND');
  if (parts.length > 1) return parts.every((one) => isAlwaysTrue(one, depth + 1));
  return !own.some(namesColumn) || isSame(own);
}

function endOf(condition: readonly Token[]): number {
  let depth = 0;
  const end = condition.findIndex(({ is, text }) => {
    if (is === 'mark' && text === '(') depth += 1;
    else if (is === 'mark' && text === ')') depth -= 1;
    return depth === 0 && is === 'word' && ENDS.has(text);
  });
  return end === -1 ? condition.length : end;
}

/** Without brackets around all of it. */
function trimmed(tokens: readonly Token[]): readonly Token[] {
  let own = tokens;
  for (let times = 0; times < MAX_DEPTH && isMark(own[0], '(') && closes(own) === own.length - 1; times += 1)
    own = own.slice(1, -1);
  return own;
}

/** The place of the bracket that closes the first one. */
function closes(tokens: readonly Token[]): number {
  let depth = 0;
  return tokens.findIndex((token) => {
    if (isMark(token, '(')) depth += 1;
    else if (isMark(token, ')')) depth -= 1;
    return depth === 0;
  });
}

/** The parts between a word that stands in no brackets. */
function parted(tokens: readonly Token[], word: 'AND' | 'OR'): readonly (readonly Token[])[] {
  const parts: Token[][] = [[]];
  let depth = 0;
  for (const token of tokens) {
    if (isMark(token, '(')) depth += 1;
    else if (isMark(token, ')')) depth -= 1;
    if (depth === 0 && token.is === 'word' && token.text === word) parts.push([]);
    else parts.at(-1)?.push(token);
  }
  return parts;
}

function namesColumn(token: Token, at: number, all: readonly Token[]): boolean {
  if (token.is === 'name' || token.is === 'body') return true;
  // A value of run time: `$1`, `?`, `:id`, `@id`.
  if (token.is === 'mark') return '$?:@'.includes(token.text);
  if (token.is !== 'word' || NO_COLUMN.has(token.text) || /^[0-9]/.test(token.text)) return false;
  return !isMark(all[at + 1], '(');
}

/** `a = a`, `t.a >= t.a`. */
function isSame(tokens: readonly Token[]): boolean {
  const at = tokens.findIndex(({ is, text }) => is === 'mark' && '=<>'.includes(text));
  if (at < 1 || !tokens.slice(at, at + 2).some((token) => isMark(token, '='))) return false;
  const behind = isMark(tokens[at], '=') ? at + 1 : at + 2;
  return textOf(tokens.slice(0, at)) === textOf(tokens.slice(behind));
}

/** `a IS NULL OR a IS NOT NULL`. */
function areOpposites(choices: readonly (readonly Token[])[]): boolean {
  const texts = new Set(choices.map(textOf));
  return [...texts].some((text) => text.endsWith(' IS NULL') && texts.has(text.replace(/NULL$/, 'NOT NULL')));
}

function textOf(tokens: readonly Token[]): string {
  return tokens.map(({ text }) => text).join(' ');
}

function isMark(token: Token | undefined, text: string): boolean {
  return token?.is === 'mark' && token.text === text;
}
