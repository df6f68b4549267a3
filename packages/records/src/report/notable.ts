import type { LedgerRow } from '@subluminal/ledger';
import type { Reported } from './report.js';

/** Entries that stand in a report beside calls and actions. */
const TYPES: ReadonlySet<LedgerRow['type']> = new Set([
  'anomaly',
  'breaker_trip',
  'hint_promoted',
  'message_dropped',
  'secret_injection',
  'tools_held',
]);
const MAX_ROWS = 200;

/** Those entries, the newest first, as they come. */
export class Notable {
  readonly #rows: LedgerRow[] = [];
  #left = 0;

  take(row: LedgerRow): void {
    if (!TYPES.has(row.type)) return;
    if (this.#rows.length < MAX_ROWS) this.#rows.push(row);
    else this.#left += 1;
  }

  told(): Reported<LedgerRow> {
    return { rows: this.#rows, left: this.#left };
  }
}
