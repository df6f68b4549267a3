import type { Database } from 'better-sqlite3';
import { SublError } from '@subluminal/core-types';

/** `PRAGMA application_id` of a gateway's own database: "SubG". */
const APPLICATION_ID = 0x53756247;
/** The same of databases from before schema version 1: "Subg". No version reads them any more. */
const BEFORE_VERSION_1 = 0x53756267;
/** The version of the tables, in `PRAGMA user_version`. Each change of a table raises it and adds a step. */
const SCHEMA_VERSION = 1;

/** Brings the tables from one version to the next. */
export interface SchemaStep {
  readonly from: number;
  readonly sql: string;
}

/** The steps from version 1 on, in their order. */
const STEPS: readonly SchemaStep[] = [
  {
    from: 1,
    sql: `
-- Questions to a person about calls, for as long as their runs live.
CREATE TABLE question(
  id TEXT PRIMARY KEY,
  call_id TEXT NOT NULL,
  run_id TEXT NOT NULL,
  rule_id TEXT NOT NULL,
  rule_hash TEXT NOT NULL,
  server_name TEXT NOT NULL,
  tool_name TEXT NOT NULL,
  subject TEXT NOT NULL,
  object TEXT NOT NULL,
  is_whole INTEGER NOT NULL CHECK(is_whole IN (0, 1)),
  why TEXT NOT NULL,
  state TEXT NOT NULL CHECK(state IN ('pending', 'once', 'run', 'denied', 'used', 'closed')),
  said TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX question_open ON question(run_id, rule_id, subject) WHERE state NOT IN ('used', 'closed');
`,
  },
  // The folder in which a server starts; null where its shim has not said.
  { from: 2, sql: 'ALTER TABLE upstream ADD COLUMN cwd TEXT' },
  {
    from: 3,
    sql: `
-- Policies of projects that the operator trusts, by the path of their file, and which bind live runs.
CREATE TABLE project_policy(
  file TEXT PRIMARY KEY,
  sha256 TEXT NOT NULL,
  text TEXT NOT NULL,
  trusted_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE run_project(
  run_id TEXT NOT NULL,
  file TEXT NOT NULL,
  PRIMARY KEY(run_id, file)
) STRICT, WITHOUT ROWID;
`,
  },
  // The plane's states of agents. All of them can be lost: then it begins anew.
  { from: 4, sql: 'CREATE TABLE plane(key TEXT PRIMARY KEY, kept TEXT NOT NULL, used_ms INTEGER NOT NULL)' },
];

/**
 * Every table of the core. A wing brings its own. A row with `CHECK(id=1)` is the only one of its table.
 */
const CORE_TABLES = `
-- The identity of the home. The master key is nowhere else.
CREATE TABLE identity(
  id INTEGER PRIMARY KEY CHECK(id=1),
  master BLOB NOT NULL CHECK(length(master)=32),
  ledger_id TEXT NOT NULL,
  host_id TEXT NOT NULL,
  created_ms INTEGER NOT NULL,
  fingerprint TEXT
) STRICT;
-- The versions that have served the home, and when.
CREATE TABLE served(
  version TEXT PRIMARY KEY,
  protocol INTEGER NOT NULL,
  first_ms INTEGER NOT NULL,
  last_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
-- The settings that the last gateway had in force.
CREATE TABLE settings(id INTEGER PRIMARY KEY CHECK(id=1), settings TEXT NOT NULL) STRICT;
-- There is a row while everything is stopped.
CREATE TABLE panic(
  id INTEGER PRIMARY KEY CHECK(id=1),
  since_ms INTEGER NOT NULL,
  reason TEXT NOT NULL
) STRICT;

-- Runs that may live, the policies that they brought, and what their limits have counted up to an entry.
CREATE TABLE live_run(id TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
CREATE TABLE run_policy(run_id TEXT PRIMARY KEY, plain TEXT NOT NULL) STRICT;
CREATE TABLE run_limits(run_id TEXT PRIMARY KEY, kept TEXT NOT NULL) STRICT;
CREATE TABLE limits_mark(
  id INTEGER PRIMARY KEY CHECK(id=1),
  up_to INTEGER NOT NULL,
  leaf TEXT NOT NULL
) STRICT;
-- How far the ledger was swept for calls and actions that nobody has ended.
CREATE TABLE swept(id INTEGER PRIMARY KEY CHECK(id=1), memory TEXT NOT NULL) STRICT;
-- Servers that run. "secrets": what was released for one; null while nothing was asked for.
CREATE TABLE upstream(
  token TEXT PRIMARY KEY,
  run_id TEXT NOT NULL,
  shim_id TEXT NOT NULL,
  shim_pid INTEGER NOT NULL,
  shim_start TEXT NOT NULL,
  begin_seq INTEGER NOT NULL,
  about_hash TEXT,
  secrets TEXT
) STRICT, WITHOUT ROWID;

-- The last good policy, and its signature.
CREATE TABLE policy(id INTEGER PRIMARY KEY CHECK(id=1), source TEXT NOT NULL, hash TEXT NOT NULL) STRICT;
CREATE TABLE policy_signature(
  id INTEGER PRIMARY KEY CHECK(id=1),
  note TEXT NOT NULL,
  hash TEXT NOT NULL,
  serial INTEGER NOT NULL,
  file_sha256 TEXT NOT NULL
) STRICT;

-- "box" is sealed. An account's secret stands under "account:" and its name.
CREATE TABLE secret(
  name TEXT PRIMARY KEY,
  box BLOB NOT NULL,
  created_ms INTEGER NOT NULL,
  changed_ms INTEGER NOT NULL,
  used_ms INTEGER,
  uses INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
-- Secrets that servers of live runs have, or had. "mark": knows the value again, and does not tell it.
CREATE TABLE held_secret(
  run_id TEXT NOT NULL,
  mark TEXT NOT NULL,
  name TEXT NOT NULL,
  source TEXT NOT NULL,
  secret_ref TEXT NOT NULL,
  PRIMARY KEY(run_id, mark)
) STRICT, WITHOUT ROWID;
-- Remote servers of live runs that were given secrets in headers.
CREATE TABLE given_header(
  run_id TEXT NOT NULL,
  server_name TEXT NOT NULL,
  PRIMARY KEY(run_id, server_name)
) STRICT, WITHOUT ROWID;
`;

/** The tables of a new database: those of the core, and those that the wings bring. */
export function createTables(db: Database, ofWings: readonly string[]): void {
  db.exec(CORE_TABLES);
  for (const tables of ofWings) db.exec(tables);
}

/**
 * Makes the tables in an empty file, or brings those of an older version to this one. All of it is one
 * transaction: a crash leaves one version or the other, never half of one. Only for a connection that holds
 * the file's lock.
 *
 * @throws SublError `home_unsafe` for a file that is something else, `home_too_old` for one from before
 * version 1, `not_available` for one of a later version.
 */
export function openSchema(
  db: Database,
  path: string,
  ofWings: readonly string[],
  steps: readonly SchemaStep[] = STEPS,
): void {
  const read = (name: string): unknown => db.pragma(name, { simple: true });
  const newest = SCHEMA_VERSION + steps.length;
  const id = read('application_id');
  const count = db.prepare<[], number>('SELECT count(*) FROM sqlite_schema').pluck().get();
  if (id === 0 && count === 0) {
    createTables(db, ofWings);
    for (const { sql } of steps) db.exec(sql);
    db.pragma(`application_id=${APPLICATION_ID}`);
    db.pragma(`user_version=${newest}`);
    return;
  }
  if (id === BEFORE_VERSION_1) throw tooOld(path);
  if (id !== APPLICATION_ID) throw notOurs(path);
  const found = read('user_version');
  if (typeof found !== 'number' || found < SCHEMA_VERSION || found > newest)
    throw fromTheFuture(path, found, newest);
  for (const { from, sql } of steps) {
    if (from < found) continue;
    db.exec(sql);
    db.pragma(`user_version=${from + 1}`);
  }
}

function tooOld(path: string): SublError {
  return new SublError('home_too_old', `\`${path}\` is older than this version reads`, {
    help: 'to keep the home, serve it with the version that wrote it; to begin anew, move it away, or use `--home`',
  });
}

function notOurs(path: string): SublError {
  return new SublError('home_unsafe', `\`${path}\` is not a gateway's database`, {
    help: 'put back the file of this home; without it a gateway cannot go on with its ledger',
  });
}

function fromTheFuture(path: string, found: unknown, newest: number): SublError {
  return new SublError(
    'not_available',
    `\`${path}\` has schema version ${String(found)}, and this gateway reads up to version ${newest}`,
    {
      help: 'serve this home with the version of subluminal that wrote it, or a later one; or begin a new home with `--home`',
    },
  );
}
