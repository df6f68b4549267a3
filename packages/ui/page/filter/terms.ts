/** A term of a filter as it was typed, and what it is made of. */
export interface Term {
  readonly text: string;
  /** It leaves out what fits. */
  readonly isNot: boolean;
  /** The word before the colon; empty for a text. */
  readonly key: string;
  readonly value: string;
}

/** Words that the filter knows, as `sub query` does, for completion. */
export const KEYS: readonly (readonly [string, string])[] = [
  ['decision:', 'allow, block, throttle, hint, ask, terminate'],
  ['status:', 'ok, error, timeout, cancelled, open'],
  ['server:', 'name of a server'],
  ['tool:', 'name of a tool; * for any letters'],
  ['run:', 'id of a run'],
  ['rule:', 'id of a rule'],
  ['kind:', 'call, action, net'],
  ['since:', '2h, 30m, 2026-11-27'],
  ['until:', 'the same'],
  ['text:', 'in what a call names'],
  ['is:', 'refused, flagged, open'],
];

/** Cuts a filter into its terms: at spaces that stand in no quotes. */
export function termsOf(filter: string): readonly Term[] {
  return (filter.match(/(?:[^\s"]|"[^"]*"?)+/g) ?? []).slice(0, 64).map(termOf);
}

/** A term of a key and a value, in quotes where it needs them. */
export function termText(key: string, value: string, isNot = false): string {
  const safe = value.replaceAll('"', '');
  return `${isNot ? '-' : ''}${key}:${/\s/.test(safe) || safe === '' ? `"${safe}"` : safe}`;
}

/** The filter with a term more; without change where it has it already. */
export function withTerm(filter: string, term: string): string {
  const terms = termsOf(filter).map(({ text }) => text);
  return terms.includes(term) ? filter : [...terms, term].join(' ');
}

/** The filter without the term at that place. */
export function withoutTerm(filter: string, index: number): string {
  return termsOf(filter)
    .filter((_, at) => at !== index)
    .map(({ text }) => text)
    .join(' ');
}

function termOf(text: string): Term {
  const isNot = text.startsWith('-');
  const bare = isNot ? text.slice(1) : text;
  const colon = bare.indexOf(':');
  return {
    text,
    isNot,
    key: colon < 0 ? '' : bare.slice(0, colon),
    value: (colon < 0 ? bare : bare.slice(colon + 1)).replaceAll('"', ''),
  };
}
