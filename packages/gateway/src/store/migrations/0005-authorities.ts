import type { Migration } from './migration.js';

/** The authorities of hosts that secrets are put in for: the certificate, and its key, sealed. */
export const authorities: Migration = {
  version: 5,
  up: (db) => {
    db.exec(`CREATE TABLE authority(
  host TEXT PRIMARY KEY,
  certificate TEXT NOT NULL,
  box BLOB NOT NULL,
  until_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID`);
  },
};
