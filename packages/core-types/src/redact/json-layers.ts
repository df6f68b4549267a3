import { hexDigit } from '../json/hex-digit.js';
/** A text as it is meant, and where in the original each of its units begins; one place more for its end. */
export interface Layer {
  readonly units: Uint16Array;
  readonly starts: Uint32Array;
}

/** So often may JSON stand in texts of JSON and still be read. */
const LAYERS = 2;
const BACKSLASH = 0x5c;
const LETTER_U = 0x75;
/** The escapes of one letter, by their code, and what each means. */
const SHORT: ReadonlyMap<number, number> = new Map(
  Object.entries({ '"': '"', '/': '/', '\\': '\\', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }).map(
    ([letter, meant]) => [letter.charCodeAt(0), meant.charCodeAt(0)],
  ),
);

/** A text as it is, then as its escapes of JSON mean it, and as those mean it once more. */
export function* jsonLayers(text: string): Generator<Layer> {
  const units = new Uint16Array(text.length);
  const starts = new Uint32Array(text.length + 1);
  for (let at = 0; at <= units.length; at += 1) {
    starts[at] = at;
    units[at] = text.charCodeAt(at);
  }
  let layer: Layer = { units, starts };
  yield layer;
  for (let depth = 0; depth < LAYERS && layer.units.includes(BACKSLASH); depth += 1) {
    layer = unescaped(layer);
    yield layer;
  }
}

function unescaped({ units, starts }: Layer): Layer {
  const meant = new Uint16Array(units.length);
  const places = new Uint32Array(units.length + 1);
  let length = 0;
  for (let at = 0; at < units.length;) {
    const unit = units[at] ?? 0;
    const escape = unit === BACKSLASH ? escapeAt(units, at) : undefined;
    if (escape?.unit !== undefined || escape === undefined) {
      meant[length] = escape?.unit ?? unit;
      places[length] = starts[at] ?? 0;
      length += 1;
    }
    at += escape?.length ?? 1;
  }
  places[length] = starts[units.length] ?? 0;
  return { units: meant.subarray(0, length), starts: places.subarray(0, length + 1) };
}

/**
 * One escape. At the end of a cut text it may be the beginning of one, which means nothing. Undefined for
 * none.
 */
function escapeAt(
  units: Uint16Array,
  at: number,
): { readonly unit: number | undefined; readonly length: number } | undefined {
  const letter = units[at + 1];
  const short = letter === undefined ? undefined : SHORT.get(letter);
  if (short !== undefined) return { unit: short, length: 2 };
  const from = letter === LETTER_U ? at + 2 : at + 1;
  let code = 0;
  for (let place = from; place < from + 4; place += 1) {
    const hex = units[place];
    if (hex === undefined) return { unit: undefined, length: units.length - at };
    const digit = hexDigit(hex);
    if (digit === undefined || (place === from + 3 && letter !== LETTER_U)) return undefined;
    code = code * 16 + digit;
  }
  return { unit: code, length: 6 };
}
