/** An exact amount: whole units and millionths. Never negative; past 2^53 it stays where it is. */
export interface Amount {
  readonly units: number;
  readonly micros: number;
}

const MICROS = 1_000_000;
/** The largest amount that can be told apart from the next one. */
export const MAX_UNITS = Number.MAX_SAFE_INTEGER;

export const NOTHING: Amount = Object.freeze({ units: 0, micros: 0 });

/** The sum, or the largest amount where that is past it. */
export function addAmounts(a: Amount, b: Amount): Amount {
  const micros = a.micros + b.micros;
  const carry = micros >= MICROS ? 1 : 0;
  // Both are at most 2^53, so that a sum that was rounded is past the largest anyway.
  const units = a.units + b.units + carry;
  return units > MAX_UNITS ? { units: MAX_UNITS, micros: 0 } : { units, micros: micros - carry * MICROS };
}

/** The rest of `a`, at least nothing. */
export function subtractAmounts(a: Amount, b: Amount): Amount {
  if (!exceeds(a, b)) return NOTHING;
  const borrow = a.micros < b.micros ? 1 : 0;
  return { units: a.units - b.units - borrow, micros: a.micros - b.micros + borrow * MICROS };
}

/** Whether `a` is more than `b`. */
export function exceeds(a: Amount, b: Amount): boolean {
  return a.units > b.units || (a.units === b.units && a.micros > b.micros);
}

/** As a decimal number, without zeros at the end. */
export function amountText({ units, micros }: Amount): string {
  if (micros === 0) return String(units);
  return `${units}.${String(micros).padStart(6, '0').replace(/0+$/, '')}`;
}

/** Tells whether a value of stored data is a count: whole, not negative, and exact. */
export function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && value <= MAX_UNITS;
}
