/** The tables of this wing in `gateway.db`. */
export const TOOLS_TABLES = `
-- What servers said of their tools, by server and by the kind of client that was told.
CREATE TABLE tool_server(
  server TEXT PRIMARY KEY,
  pinned_ms INTEGER,
  argv_hash TEXT NOT NULL,
  program_hash TEXT
) STRICT, WITHOUT ROWID;
CREATE TABLE tool_client(
  server TEXT NOT NULL,
  client TEXT NOT NULL,
  since INTEGER NOT NULL,
  PRIMARY KEY(server, client)
) STRICT;
CREATE TABLE tool_pin(
  server TEXT NOT NULL,
  tool TEXT NOT NULL,
  hash TEXT NOT NULL,
  shape TEXT NOT NULL,
  definition TEXT NOT NULL,
  since INTEGER NOT NULL,
  missing INTEGER NOT NULL,
  beside INTEGER NOT NULL,
  PRIMARY KEY(server, tool)
) STRICT;
CREATE TABLE tool_held(
  server TEXT NOT NULL,
  tool TEXT NOT NULL,
  hash TEXT NOT NULL,
  shape TEXT NOT NULL,
  definition TEXT NOT NULL,
  reason TEXT NOT NULL,
  held_ms INTEGER NOT NULL,
  PRIMARY KEY(server, tool)
) STRICT;
`;
