/** The tables of this wing in `gateway.db`. An account's secret is a row of the core's `secret`. */
export const SERVICES_TABLES = `
CREATE TABLE account(
  name TEXT PRIMARY KEY,
  kind TEXT NOT NULL,
  settings TEXT NOT NULL,
  created_ms INTEGER NOT NULL,
  changed_ms INTEGER NOT NULL,
  used_ms INTEGER,
  uses INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
-- Setup tokens that were sent, by their hash.
CREATE TABLE sent_token(hash TEXT PRIMARY KEY, sent_ms INTEGER NOT NULL, claimed INTEGER NOT NULL) STRICT;
`;
