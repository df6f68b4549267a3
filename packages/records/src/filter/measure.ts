const SPANS: ReadonlyMap<string, number> = new Map([
  ['ms', 1],
  ['s', 1000],
  ['m', 60_000],
  ['h', 3_600_000],
]);
/** As sizes are shown: a `k` is 1024 bytes. */
const SIZES: ReadonlyMap<string, number> = new Map([
  ['b', 1],
  ['k', 1024],
  ['m', 1_048_576],
  ['g', 1_073_741_824],
]);
const BOUND = /^([<>])([0-9]{1,9}(?:\.[0-9]{1,3})?)([a-z]{1,2})$/i;

/** Keys whose values bound a measure, with an example of one. */
export const MEASURES = { took: '`>2s`, `<500ms`', size: '`>1m`, `<4k`' } as const;

/**
 * Reads a bound of such a key: more (`>`) or less (`<`) than a number with its unit, `ms`, `s`, `m` or `h`
 * of a time, `b`, `k`, `m` or `g` of a size. Null for any other text.
 */
export function boundOf(key: keyof typeof MEASURES, text: string): ((measured: number) => boolean) | null {
  const [, sign, count, unit = ''] = BOUND.exec(text) ?? [];
  const times = (key === 'took' ? SPANS : SIZES).get(unit.toLowerCase());
  if (times === undefined) return null;
  const bound = Number(count) * times;
  return sign === '>' ? (measured) => measured > bound : (measured) => measured < bound;
}
