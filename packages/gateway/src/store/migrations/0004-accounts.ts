import type { Migration } from './migration.js';

/** Accounts with services outside. What is secret of one stands sealed in `secret`, under `account:` and its name. */
export const accounts: Migration = {
  version: 4,
  up: (db) => {
    db.exec(`CREATE TABLE account(
  name TEXT PRIMARY KEY,
  kind TEXT NOT NULL,
  settings TEXT NOT NULL,
  created_ms INTEGER NOT NULL,
  changed_ms INTEGER NOT NULL,
  used_ms INTEGER,
  uses INTEGER NOT NULL
) STRICT, WITHOUT ROWID`);
  },
};
