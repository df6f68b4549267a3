import type { Migration } from './migration.js';

/** Which versions have served the home, and when: what a person asks first who finds something odd in a record. */
export const served: Migration = {
  version: 2,
  up: (db) => {
    db.exec(`CREATE TABLE served(
  version TEXT PRIMARY KEY,
  protocol INTEGER NOT NULL,
  first_ms INTEGER NOT NULL,
  last_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID`);
  },
};
