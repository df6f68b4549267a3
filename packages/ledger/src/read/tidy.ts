import { openToTidy } from '../schema/connection.js';

/**
 * Takes away the log and the index of it that readers leave beside a ledger which nobody writes: SQLite does so when its
 * last connection that may write is closed, under its own locks, so that a gateway which starts meanwhile loses nothing.
 *
 * @throws SublError `ledger_missing`, `ledger_corrupt`, `ledger_unsafe`.
 */
export function tidyLedger(path: string): void {
  openToTidy(path).close();
}
