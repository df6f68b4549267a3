/** The table of this wing in `gateway.db`; that of questions came with a later step. */
export const APPROVALS_TABLES = `
-- Questions to the operator. "flags": a JSON list of kinds of anomalies.
CREATE TABLE approvals(
  id TEXT PRIMARY KEY,
  client TEXT NOT NULL,
  action TEXT NOT NULL,
  payload_hash TEXT NOT NULL,
  summary TEXT NOT NULL,
  flags TEXT NOT NULL,
  state TEXT NOT NULL CHECK(state IN ('pending', 'approved', 'denied', 'used')),
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  grant_seq INTEGER
) STRICT;
CREATE UNIQUE INDEX approvals_open ON approvals(client, action, payload_hash) WHERE state <> 'used';
`;
