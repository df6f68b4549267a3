/** The tables of this wing in `gateway.db`. */
export const NET_TABLES = `
CREATE TABLE allowed_services(
  id TEXT PRIMARY KEY,
  service_name TEXT NOT NULL,
  domain TEXT NOT NULL,
  port INTEGER,
  protocol TEXT NOT NULL,
  added_at TEXT NOT NULL,
  added_by TEXT NOT NULL DEFAULT 'user',
  is_active INTEGER NOT NULL DEFAULT 1,
  allow_private INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE UNIQUE INDEX allowed_services_target ON allowed_services(domain, ifnull(port, 0), protocol);
`;
