import { openToTidy } from '../schema/connection.js';

/**
 * Takes away the log and its index that readers leave beside a ledger which nobody writes. SQLite does so
 * when its last connection that may write is closed. It does so under its own locks, so a gateway which
 * starts meanwhile loses nothing.
 *
 * @throws SublError `ledger_missing`, `ledger_corrupt`, `ledger_unsafe`.
 */
export function tidyLedger(path: string): void {
  openToTidy(path).close();
}
