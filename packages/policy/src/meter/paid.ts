import type { Charge, ChargeItem } from './charge.js';

/**
 * The charges of a call that goes on with others, by those others: nothing of it is counted twice.
 */
export class Paid {
  readonly #items = new Map<string, ChargeItem>();

  constructor(charge: Charge) {
    for (const item of charge) this.#items.set(nameOf(item), item);
  }

  /**
   * Whether a meter has counted the same: the same call, with the same cost. A bucket counts messages, and
   * each of them.
   */
  covers(item: ChargeItem): boolean {
    const found = this.#items.get(nameOf(item));
    if (found === undefined || item.kind === 'rate_limit') return false;
    if (item.kind === 'budget') {
      return (
        found.kind === 'budget' &&
        found.isWrite === item.isWrite &&
        found.cost.units === item.cost.units &&
        found.cost.micros === item.cost.micros
      );
    }
    return true;
  }
}

/** The charges of two calls of one action together. The charge of the first call stays. */
export function joinCharges(first: Charge, then: Charge): Charge {
  if (then.length === 0) return first;
  if (first.length === 0) return then;
  const known = new Set(first.map(nameOf));
  const more = then.filter((item) => !known.has(nameOf(item)));
  return more.length === 0 ? first : [...first, ...more];
}

/** A breaker that counts no repeats has not counted this one. */
function nameOf(item: ChargeItem): string {
  const { kind, rule_id, scope, key } = item;
  const entry = kind === 'dedupe' || kind === 'breaker' ? item.entry : '';
  const counts = kind !== 'breaker' || item.repeat_threshold > 0;
  return JSON.stringify([kind, rule_id, scope, key, entry, counts]);
}
