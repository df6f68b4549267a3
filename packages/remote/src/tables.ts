/** The tables of the wing in `gateway.db`. */
export const HTTP_TABLES = `
-- The door for HTTP: its port, the nonce of the enrol token, and whether a gateway opens it when it starts.
CREATE TABLE http_door(
  id INTEGER PRIMARY KEY CHECK(id=1),
  port INTEGER NOT NULL,
  nonce TEXT NOT NULL,
  is_open INTEGER NOT NULL
) STRICT;
`;
