/** The columns of an audited entry `e` and of the request `q` that it answers. */
export const AUDIT_COLUMNS = `e.seq || '.' || lower(hex(e.hash)) AS id,
  coalesce(e.body->>'$.data.req.id', q.body->>'$.data.req.id', e.body->>'$.data."#seen"') AS request_id,
  strftime('%Y-%m-%dT%H:%M:%fZ', e.ts/1000.0, 'unixepoch') AS timestamp,
  CASE WHEN e.kind = 3 THEN 'tool.call.begin' WHEN e.kind = 4 THEN 'tool.call.end' WHEN e.kind > 22 THEN e.body->>'$.type'
    ELSE e.body->>'$.tool' END AS action,
  CASE WHEN e.kind IN (3,20) THEN 'request' ELSE 'response' END AS direction,
  CASE WHEN e.kind > 22 THEN 'success' ELSE CASE e.code WHEN 1 THEN 'pending' WHEN 3 THEN 'rate_limited' WHEN 10 THEN 'success' WHEN 20 THEN 'pending'
    WHEN 21 THEN 'success' WHEN 23 THEN 'rejected' WHEN 24 THEN 'rate_limited' WHEN 25 THEN 'rejected'
    ELSE iif(e.kind = 3, 'rejected', iif(e.kind = 20, 'pending', 'error')) END END AS status,
  coalesce(e.body->>'$.data.payload_hash', q.body->>'$.data.payload_hash', e.body->>'$.data.call.args_hash', '')
    AS payload_hash,
  coalesce(e.body->>'$.data.req.sig', q.body->>'$.data.req.sig', '') AS signature,
  e.body->'$.data' AS metadata,
  strftime('%Y-%m-%d %H:%M:%S', e.ts/1000.0, 'unixepoch') AS created_at`;

/** The entries that are audited, each with its request where that stands in the same file. */
export const AUDIT_ROWS = `FROM entry e
LEFT JOIN entry q ON q.seq = iif(e.kind = 4, (SELECT ref FROM entry WHERE seq = e.ref), e.ref) AND q.kind IN (2,20)
WHERE e.kind IN (3,4,20,21,22,23,24,25,40,41,42,43,44,45)`;

/**
 * Everything that is audited: each request with its answer, and the events that no request asked for: flags
 * of anomalies, approvals, and the gateway's own.
 */
const AUDIT_LOG = `SELECT ${AUDIT_COLUMNS}
${AUDIT_ROWS}`;

/** Views for SQL of an operator's own (docs/contracts.md). Reading one proves nothing. */
export const VIEWS: readonly string[] = [
  `CREATE VIEW runs AS
SELECT s.body->>'$.run_id' AS run_id,
  s.body->>'$.data.agent_id' AS agent_id,
  s.body->>'$.data.client' AS client,
  s.body->>'$.data.env' AS env,
  coalesce(s.body->>'$.data.run.started_at', strftime('%Y-%m-%dT%H:%M:%fZ', s.ts/1000.0, 'unixepoch')) AS started_at,
  e.body->>'$.data.run.ended_at' AS ended_at,
  coalesce(e.body->>'$.data.run.status', 'RUNNING') AS status,
  s.body->'$.data' AS metadata_json
FROM entry s
LEFT JOIN entry e ON e.run = s.run AND e.kind = 5 AND e.kind NOT IN (2,3,4,20,21)
WHERE s.kind = 1 AND s.kind NOT IN (2,3,4,20,21)`,
  `CREATE VIEW tool_calls AS
SELECT s.body->>'$.data.call.call_id' AS call_id,
  s.body->>'$.run_id' AS run_id,
  s.body->>'$.tool[0]' AS server_name,
  s.body->>'$.tool[1]' AS tool_name,
  s.body->>'$.data.call.args_hash' AS args_hash,
  d.body->>'$.code' AS decision,
  d.body->>'$.data.decision.rule_id' AS rule_id,
  e.body->>'$.code' AS status,
  e.body->>'$.data.latency_ms' AS latency_ms,
  s.body->>'$.data.call.bytes_in' AS bytes_in,
  e.body->>'$.data.bytes_out' AS bytes_out,
  coalesce(s.body->>'$.data.call.preview.truncated', 0) OR coalesce(e.body->>'$.data.preview.truncated', 0)
    AS preview_truncated,
  strftime('%Y-%m-%dT%H:%M:%fZ', s.ts/1000.0, 'unixepoch') AS created_at
FROM entry s
LEFT JOIN entry d ON d.ref = s.seq AND d.kind = 3
LEFT JOIN entry e ON e.ref = d.seq AND e.kind = 4
WHERE s.kind = 2`,
  `CREATE VIEW previews AS
SELECT s.body->>'$.data.call.call_id' AS call_id,
  CAST((SELECT data FROM blob WHERE id BETWEEN s.seq*64 AND s.seq*64+63 AND slot LIKE '%args_preview') AS TEXT) AS args_preview,
  CAST((SELECT data FROM blob WHERE id BETWEEN e.seq*64 AND e.seq*64+63 AND slot LIKE '%result_preview') AS TEXT) AS result_preview,
  coalesce(s.body->>'$.data.call.preview.redactions', 0) + coalesce(e.body->>'$.data.preview.redactions', 0)
    AS redaction_flags
FROM entry s
LEFT JOIN entry d ON d.ref = s.seq AND d.kind = 3
LEFT JOIN entry e ON e.ref = d.seq AND e.kind = 4
WHERE s.kind = 2`,
  `CREATE VIEW hints AS
SELECT body->>'$.data.call.call_id' AS call_id,
  body->>'$.data.hint.hint_text' AS hint_text,
  body->'$.data.hint.suggested_args' AS suggested_args_json,
  strftime('%Y-%m-%dT%H:%M:%fZ', ts/1000.0, 'unixepoch') AS created_at
FROM entry
WHERE kind = 6 AND kind NOT IN (2,3,4,20,21)`,
  `CREATE VIEW policy_versions AS
SELECT e.body->>'$.data.policy.policy_id' AS policy_id,
  e.body->>'$.data.policy.policy_version' AS version,
  coalesce(e.body->>'$.data.policy.mode', e.body->>'$.data.mode') AS mode,
  e.body->>'$.data.policy.policy_hash' AS rules_hash,
  coalesce(max((SELECT CAST(data AS TEXT)->'$.rules' FROM blob WHERE id BETWEEN e.seq*64 AND e.seq*64+63 AND slot = 'policy.bundle')),
    iif(e.body->>'$.data.source' = 'builtin', '[]', NULL)) AS rules_json,
  strftime('%Y-%m-%dT%H:%M:%fZ', min(e.ts)/1000.0, 'unixepoch') AS created_at
FROM entry e
WHERE e.kind = 7 AND e.kind NOT IN (2,3,4,20,21)
GROUP BY 1, 2, 4`,
  `CREATE VIEW audit_log AS
${AUDIT_LOG}`,
];
