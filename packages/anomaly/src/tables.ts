/** The tables of this wing in `gateway.db`. */
export const ANOMALY_TABLES = `
-- What was done before, which new runs are compared with. All of it can be lost: then more is unusual.
CREATE TABLE known_domains(domain TEXT PRIMARY KEY, first_used_at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
-- "sent" is an empty list: version 1 of the tables has it, and nothing reads it.
CREATE TABLE agent(
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  runs INTEGER NOT NULL,
  last_ms INTEGER NOT NULL,
  sent TEXT NOT NULL
) STRICT;
-- "place": a host, or the hash of an address that mail went to.
CREATE TABLE agent_place(
  agent INTEGER NOT NULL,
  place TEXT NOT NULL,
  first_ms INTEGER NOT NULL,
  last_ms INTEGER NOT NULL,
  sent TEXT NOT NULL,
  PRIMARY KEY(agent, place)
) STRICT, WITHOUT ROWID;
CREATE INDEX agent_place_of ON agent_place(place);
CREATE TABLE run_unusual(run_id TEXT PRIMARY KEY, kept TEXT NOT NULL) STRICT;
`;
