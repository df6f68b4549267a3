/** The words before the colon of a term. `any`: a term without one. */
export const FILTER_KEYS = [
  'action',
  'agent',
  'any',
  'args',
  'client',
  'command',
  'decision',
  'host',
  'is',
  'kind',
  'object',
  'path',
  'project',
  'request',
  'rule',
  'run',
  'server',
  'since',
  'size',
  'status',
  'text',
  'took',
  'tool',
  'until',
] as const;
export type FilterKey = (typeof FILTER_KEYS)[number];

/** `KEY:VALUE[,VALUE…]`, or `-KEY:…` for what does not fit. */
export interface FilterTerm {
  readonly key: FilterKey;
  /** Any of them fits; at least one. */
  readonly values: readonly string[];
  readonly not: boolean;
  /** Its place in the text, in UTF-16 units. */
  readonly at: number;
  readonly length: number;
}

/** Terms that all have to fit, or the first mistake and its place. */
export type ParsedFilter =
  | { readonly ok: true; readonly terms: readonly FilterTerm[] }
  | { readonly ok: false; readonly message: string; readonly at: number };

export const MAX_FILTER = 2048;
const MAX_TERMS = 32;
const MAX_VALUES = 32;

const SPACE = new Set([' ', '\t', '\n', '\r']);

/**
 * Reads a filter: terms between spaces, such as `decision:refused,hinted -tool:list_* since:2h "drop table"`.
 * Values with spaces, commas or quotes stand in double quotes, in which a backslash takes the next sign as it
 * is. One walk over the text, so its time grows with its length alone.
 */
export function parseFilter(text: string): ParsedFilter {
  if (text.length > MAX_FILTER)
    return { ok: false, message: `a filter has at most ${MAX_FILTER} signs`, at: MAX_FILTER };
  const terms: FilterTerm[] = [];
  let at = 0;
  for (;;) {
    while (SPACE.has(text.charAt(at))) at += 1;
    if (at >= text.length) return { ok: true, terms };
    if (terms.length === MAX_TERMS)
      return { ok: false, message: `a filter has at most ${MAX_TERMS} terms`, at };
    const read = readTerm(text, at);
    if (!read.ok) return read;
    terms.push(read.term);
    at += read.term.length;
  }
}

/** A filter as text: the same terms come out of it again. */
export function filterText(terms: readonly Pick<FilterTerm, 'key' | 'not' | 'values'>[]): string {
  return terms
    .map(({ key, not, values }) => {
      const list = values.map(quoted).join(',');
      return `${not ? '-' : ''}${key === 'any' ? list : `${key}:${list}`}`;
    })
    .join(' ');
}

type Read = { readonly ok: true; readonly term: FilterTerm } | Extract<ParsedFilter, { ok: false }>;

function readTerm(text: string, begin: number): Read {
  const not = text.charAt(begin) === '-' && begin + 1 < text.length && !SPACE.has(text.charAt(begin + 1));
  let at = not ? begin + 1 : begin;
  const word = wordAt(text, at);
  let key: FilterKey = 'any';
  if (text.charAt(at + word.length) === ':' && word !== '') {
    const named = FILTER_KEYS.find((one) => one === word.toLowerCase());
    if (named === undefined || named === 'any')
      return { ok: false, message: `there is no \`${word}:\`; one of ${NAMED} is meant`, at };
    key = named;
    at += word.length + 1;
  }
  const values: string[] = [];
  for (;;) {
    const value = readValue(text, at);
    if (!value.ok) return value;
    if (value.text === '')
      return { ok: false, message: key === 'any' ? 'a word is missing' : `\`${key}:\` says nothing`, at };
    if (values.length === MAX_VALUES)
      return { ok: false, message: `a term has at most ${MAX_VALUES} values`, at };
    values.push(value.text);
    at = value.end;
    if (text.charAt(at) !== ',') break;
    at += 1;
  }
  return { ok: true, term: { key, values, not, at: begin, length: at - begin } };
}

const NAMED = FILTER_KEYS.filter((key) => key !== 'any').join(', ');

function wordAt(text: string, from: number): string {
  let end = from;
  while (end < text.length && /[a-z]/i.test(text.charAt(end))) end += 1;
  return text.slice(from, end);
}

type Value =
  | { readonly ok: true; readonly text: string; readonly end: number }
  | Extract<ParsedFilter, { ok: false }>;

function readValue(text: string, from: number): Value {
  if (text.charAt(from) !== '"') {
    let end = from;
    while (end < text.length && !SPACE.has(text.charAt(end)) && text.charAt(end) !== ',') end += 1;
    return { ok: true, text: text.slice(from, end), end };
  }
  let value = '';
  for (let at = from + 1; at < text.length; at += 1) {
    const sign = text.charAt(at);
    if (sign === '"') {
      const next = text.charAt(at + 1);
      if (next !== '' && next !== ',' && !SPACE.has(next))
        return { ok: false, message: 'a space or a comma is missing behind the quotes', at: at + 1 };
      return { ok: true, text: value, end: at + 1 };
    }
    if (sign === '\\') at += 1;
    value += text.charAt(at);
  }
  return { ok: false, message: 'the quotes are not closed', at: from };
}

function quoted(value: string): string {
  const isPlain = !/[\s,"\\:]/.test(value) && !value.startsWith('-');
  return isPlain ? value : `"${value.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}
