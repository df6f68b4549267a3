const BACKSLASH = 0x5c;

/**
 * A quote as it stands in a text: `escapes` backslashes, then the quote. JSON inside JSON strings has 1, then
 * 3, …
 */
export interface OpenQuote {
  readonly character: string;
  readonly escapes: number;
  /** Where the quoted text begins. */
  readonly inside: number;
}

/** The quote that opens at `at`, or undefined. */
export function openQuote(text: string, at: number): OpenQuote | undefined {
  let quote = at;
  while (text.charCodeAt(quote) === BACKSLASH) quote += 1;
  const character = text.charAt(quote);
  if (!isQuote(character)) return undefined;
  return { character, escapes: quote - at, inside: quote + 1 };
}

/**
 * Where the quoted text ends: the first index of the closing quote and its backslashes, or the text's length
 * when it never closes. A quote closes when the backslashes before it are those of its own level, plus whole
 * escaped backslashes of the quoted text.
 */
export function quotedEnd(text: string, { character, escapes, inside }: OpenQuote): number {
  const level = escapes + 1;
  for (let at = text.indexOf(character, inside); at !== -1; at = text.indexOf(character, at + 1)) {
    let first = at;
    while (first > inside && text.charCodeAt(first - 1) === BACKSLASH) first -= 1;
    const extra = at - first - escapes;
    // Fewer backslashes than our own: the string around us ends here, and with it ours.
    if (extra < 0) return first;
    if (extra % (2 * level) === 0) return at - escapes;
  }
  return text.length;
}

/** Tells whether a character is one of the three quotes. */
export function isQuote(character: string): boolean {
  return character === '"' || character === "'" || character === '`';
}
