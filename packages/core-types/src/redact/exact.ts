/** A value that must not be shown, and the name that stands in its place. */
export interface HiddenValue {
  readonly name: string;
  readonly value: string;
}

/** A text may be cut within a value: then half of it, and never more than so many characters, give it away. */
const LONGEST_START = 12;
/** Texts that are cut are longer. */
const SHORTEST_CUT = 64;

/** What stands in place of a value. */
export function hiddenMark(name: string): string {
  return `[REDACTED:${name}]`;
}

/**
 * The ways in which a value stands in texts, the longest first: as it is, as it is written in JSON, and as that is written in
 * JSON once more (a result whose text is JSON).
 */
export function writingsOf(value: string): readonly string[] {
  const once = JSON.stringify(value).slice(1, -1);
  const twice = JSON.stringify(once).slice(1, -1);
  return [...new Set([twice, once, value])];
}

/** Takes values out of texts, also where a text ends within one. Undefined where there are none. */
export function exactMask(values: readonly HiddenValue[]): ((text: string) => string) | undefined {
  const hidden = values
    .flatMap(({ name, value }) => writingsOf(value).map((writing) => ({ writing, mark: hiddenMark(name) })))
    .toSorted((a, b) => b.writing.length - a.writing.length);
  if (hidden.length === 0) return undefined;
  return (text) => {
    let shown = text;
    for (const { writing, mark } of hidden)
      if (shown.includes(writing)) shown = shown.replaceAll(writing, () => mark);
    for (const { writing, mark } of hidden) {
      const start = startAtEnd(shown, writing);
      if (start > 0) shown = shown.slice(0, -start) + mark;
    }
    return shown;
  };
}

/** How many of the first characters of `writing` the text ends with, 0 for too few to tell anything. */
function startAtEnd(text: string, writing: string): number {
  if (text.length < SHORTEST_CUT) return 0;
  const least = Math.min(LONGEST_START, Math.ceil(writing.length / 2));
  for (let length = Math.min(writing.length - 1, text.length); length >= least; length -= 1)
    if (text.endsWith(writing.slice(0, length))) return length;
  return 0;
}
