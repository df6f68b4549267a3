/** The tables of the wing in `gateway.db`. */
export const PROXY_TABLES = `
-- The port, so that what a program was told is good for longer than one gateway.
CREATE TABLE proxy_port(id INTEGER PRIMARY KEY CHECK(id=1), port INTEGER NOT NULL) STRICT;
-- The authorities of hosts that secrets are put in for: the certificate, and its key, sealed.
CREATE TABLE authority(
  host TEXT PRIMARY KEY,
  certificate TEXT NOT NULL,
  box BLOB NOT NULL,
  until_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
`;
