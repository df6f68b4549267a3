import type { JsonObject } from '@subluminal/core-types';

/** The previews of the entries `from` to `to` may be gone from here on. */
export interface ExpiryRange {
  readonly from: number;
  readonly to: number;
  /** Previews that were kept in the range. */
  readonly count: number;
}

/** The data of a `previews_expired` entry. */
export function expiryData({ from, to, count }: ExpiryRange): JsonObject {
  return { count, from, to };
}

/** Reads such data; undefined unless it is a range as `expiryData` writes it. */
export function readExpiry(data: unknown): ExpiryRange | undefined {
  if (typeof data !== 'object' || data === null) return undefined;
  const field = (name: string): unknown => Object.getOwnPropertyDescriptor(data, name)?.value;
  const [from, to, count] = [field('from'), field('to'), field('count')];
  if (!isWhole(from) || !isWhole(to) || !isWhole(count)) return undefined;
  return from >= 1 && from <= to && count >= 1 && Object.keys(data).length === 3
    ? { from, to, count }
    : undefined;
}

function isWhole(value: unknown): value is number {
  return Number.isSafeInteger(value);
}
