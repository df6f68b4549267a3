import type { Migration } from './migration.js';

/**
 * The secrets of the gateway's own store, and what a server that runs was announced as: `about_hash` names it and its command
 * line, `secrets` lists what was released for it (null: nothing has been asked for).
 */
export const secrets: Migration = {
  version: 3,
  up: (db) => {
    db.exec(`CREATE TABLE secret(
  name TEXT PRIMARY KEY,
  box BLOB NOT NULL,
  created_ms INTEGER NOT NULL,
  changed_ms INTEGER NOT NULL,
  used_ms INTEGER,
  uses INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS upstream(
  token TEXT PRIMARY KEY,
  run_id TEXT NOT NULL,
  shim_id TEXT NOT NULL,
  shim_pid INTEGER NOT NULL,
  shim_start TEXT NOT NULL,
  begin_seq INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
ALTER TABLE upstream ADD COLUMN about_hash TEXT;
ALTER TABLE upstream ADD COLUMN secrets TEXT`);
  },
};
