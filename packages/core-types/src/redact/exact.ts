import { isJsonObject, type JsonObject, type JsonValue } from '../json/value.js';

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

/** How a mask looks at texts. */
export interface MaskOptions {
  /**
   * Whether texts may have been cut within a value, whose beginning is then taken out of their end; default true. Never for who
   * can choose the texts: the mark would tell him whether he has guessed the beginning.
   */
  readonly cut?: boolean;
}

/** Takes values out of texts, also where a text ends within one. Undefined where there are none. */
export function exactMask(
  values: readonly HiddenValue[],
  { cut = true }: MaskOptions = {},
): ((text: string) => string) | undefined {
  const hidden = values
    .flatMap(({ name, value }) => writingsOf(value).map((writing) => ({ writing, mark: hiddenMark(name) })))
    .toSorted((a, b) => b.writing.length - a.writing.length);
  if (hidden.length === 0) return undefined;
  return (text) => {
    let shown = text;
    for (const { writing, mark } of hidden)
      if (shown.includes(writing)) shown = shown.replaceAll(writing, () => mark);
    if (isSpelt(shown, values, cut)) shown = withoutSpelt(shown, values, cut);
    if (!cut) return shown;
    for (const { writing, mark } of hidden) {
      const start = startAtEnd(shown, writing);
      if (start > 0) shown = shown.slice(0, -start) + mark;
    }
    return shown;
  };
}

/** What `mask` makes of every text in it, names included: whoever fills an object can give a field any. */
export function maskedObject(value: JsonObject, mask: (text: string) => string): JsonObject {
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [mask(key), masked(item, mask)]));
}

function masked(value: JsonValue, mask: (text: string) => string): JsonValue {
  if (typeof value === 'string') return mask(value);
  if (Array.isArray(value)) return value.map((item: JsonValue) => masked(item, mask));
  return isJsonObject(value) ? maskedObject(value, mask) : value;
}

/** So often may JSON stand in texts of JSON and still be read. */
const LAYERS = 2;
/** One escape of JSON; at the end of a text that was cut also the beginning of one. */
const ESCAPE = /\\(?:u([0-9a-fA-F]{4})|(["\\/bfnrt])|u?[0-9a-fA-F]{0,3}$)/g;
const SHORT: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

function meant(_whole: string, hex: string | undefined, letter: string | undefined): string {
  if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
  return letter === undefined ? '' : (SHORT[letter] ?? letter);
}

/** Tells whether there is anything to take out: most texts hold nothing, and are not looked at more closely. */
function isSpelt(original: string, values: readonly HiddenValue[], cut: boolean): boolean {
  // Without one of these every character is written as `writingsOf` writes it.
  if (!original.includes('\\u') && !original.includes('\\/')) return false;
  let text = original;
  for (let depth = 0; depth < LAYERS && text.includes('\\'); depth += 1) {
    const read = text.replaceAll(ESCAPE, meant);
    if (values.some(({ value }) => read.includes(value) || (cut && startAtEnd(read, value) > 0))) return true;
    text = read;
  }
  return false;
}

/** A text as it is meant, and where in the original each of its characters begins; one place more for its end. */
interface Layer {
  readonly text: string;
  readonly starts: Uint32Array;
}

/** Takes values out that are written with escapes of JSON, whichever of their characters are. */
function withoutSpelt(original: string, values: readonly HiddenValue[], cut: boolean): string {
  const spans: { readonly start: number; readonly end: number; readonly mark: string }[] = [];
  let layer: Layer = {
    text: original,
    starts: Uint32Array.from({ length: original.length + 1 }, (_, at) => at),
  };
  for (let depth = 0; depth < LAYERS && layer.text.includes('\\'); depth += 1) {
    layer = unescaped(layer);
    const { text, starts } = layer;
    const place = (at: number): number => starts[at] ?? original.length;
    for (const { name, value } of values) {
      const mark = hiddenMark(name);
      for (let at = text.indexOf(value); at >= 0; at = text.indexOf(value, at + value.length))
        spans.push({ start: place(at), end: place(at + value.length), mark });
      const begun = cut ? startAtEnd(text, value) : 0;
      if (begun > 0) spans.push({ start: place(text.length - begun), end: original.length, mark });
    }
  }
  let shown = '';
  let from = 0;
  for (const { start, end, mark } of spans.toSorted((a, b) => a.start - b.start)) {
    if (start >= from) shown += original.slice(from, start) + mark;
    from = Math.max(from, end);
  }
  return shown + original.slice(from);
}

function unescaped({ text, starts }: Layer): Layer {
  const pieces: string[] = [];
  const places = new Uint32Array(text.length + 1);
  let length = 0;
  const take = (piece: string, at: number): void => {
    pieces.push(piece);
    for (let unit = 0; unit < piece.length; unit += 1) places[length + unit] = starts[at + unit] ?? 0;
    length += piece.length;
  };
  let from = 0;
  for (const found of text.matchAll(ESCAPE)) {
    take(text.slice(from, found.index), from);
    const [whole, hex, letter] = found;
    take(meant(whole, hex, letter), found.index);
    from = found.index + whole.length;
  }
  take(text.slice(from), from);
  places[length] = starts[text.length] ?? 0;
  return { text: pieces.join(''), starts: places.subarray(0, length + 1) };
}

/** How many of the first characters of `writing` the text ends with, 0 for too few to tell anything. */
function startAtEnd(text: string, writing: string): number {
  if (text.length < SHORTEST_CUT) return 0;
  const least = Math.min(LONGEST_START, Math.ceil(writing.length / 2));
  for (let length = Math.min(writing.length - 1, text.length); length >= least; length -= 1)
    if (text.endsWith(writing.slice(0, length))) return length;
  return 0;
}
