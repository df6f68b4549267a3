import type { LedgerRow } from '@subluminal/ledger';
import { connectionOf } from '@subluminal/records';

/** Agents can invent names: more are not remembered. */
const MAX_PLACES = 1000;

/** Where the connections of a run went that no entry of the allowlist names. */
export class UnlistedPlaces {
  readonly #places = new Set<string>();

  /** In the order of their first connection. */
  get places(): readonly string[] {
    return [...this.#places];
  }

  take(row: LedgerRow): void {
    if (row.type !== 'action_pending') return;
    const connection = connectionOf({ first: row, last: null });
    if (connection === undefined || connection.isListed || this.#places.size >= MAX_PLACES) return;
    this.#places.add(connection.place);
  }
}
