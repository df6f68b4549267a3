import type { Migration } from './migration.js';

/**
 * What agents did in runs that are over, and what is remembered of runs that live: what a run does is compared with it. All of it
 * can be lost: then more is unusual.
 */
export const agentPast: Migration = {
  version: 6,
  up: (db) => {
    // `sent`: what its newest runs sent, a JSON list of bytes, the newest last.
    db.exec(`CREATE TABLE agent(
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  runs INTEGER NOT NULL,
  last_ms INTEGER NOT NULL,
  sent TEXT NOT NULL
) STRICT`);
    // `place`: a host, or the hash of an address that mail went to. `sent`: as above, of the runs that sent anything there.
    db.exec(`CREATE TABLE agent_place(
  agent INTEGER NOT NULL,
  place TEXT NOT NULL,
  first_ms INTEGER NOT NULL,
  last_ms INTEGER NOT NULL,
  sent TEXT NOT NULL,
  PRIMARY KEY(agent, place)
) STRICT, WITHOUT ROWID`);
    db.exec('CREATE INDEX agent_place_of ON agent_place(place)');
    db.exec('CREATE TABLE run_unusual(run_id TEXT PRIMARY KEY, kept TEXT NOT NULL) STRICT');
  },
};
