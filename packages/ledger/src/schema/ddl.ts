import { sha256Hex } from '@subluminal/core-types';

/** `PRAGMA application_id` of a ledger: "Subl". */
export const APPLICATION_ID = 0x5375626c;

/** `PRAGMA user_version`: which set of tables and views a ledger holds. */
export const LAYOUT = 1;

/**
 * Every table, index and trigger, in the text that `sqlite_schema` keeps. The genesis record holds the hash of these
 * texts, so none of them ever changes; what comes later is added beside them under a new `LAYOUT`.
 *
 * The triggers bind every connection, not only ours. `INSERT OR REPLACE` fires no delete trigger on a connection
 * without recursive_triggers, hence the guards on insert, for each unique key a row could displace another by.
 */
export const SCHEMA: readonly string[] = [
  `CREATE TABLE entry(
  seq INTEGER PRIMARY KEY,
  ts INTEGER NOT NULL,
  run INTEGER,
  ref INTEGER,
  kind INTEGER NOT NULL,
  code INTEGER NOT NULL,
  tool INTEGER,
  body TEXT NOT NULL,
  hash BLOB NOT NULL CHECK(length(hash)=32)
) STRICT`,
  `CREATE TABLE dict(
  id INTEGER PRIMARY KEY,
  kind INTEGER NOT NULL CHECK(kind IN (1,2,3)),
  name TEXT NOT NULL,
  UNIQUE(kind,name)
) STRICT`,
  `CREATE TABLE seen(
  run INTEGER NOT NULL,
  id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  PRIMARY KEY(id,run)
) STRICT, WITHOUT ROWID`,
  `CREATE TABLE blob(
  seq INTEGER NOT NULL,
  slot TEXT NOT NULL,
  salt BLOB NOT NULL CHECK(length(salt)=16),
  data BLOB NOT NULL,
  PRIMARY KEY(seq,slot)
) STRICT, WITHOUT ROWID`,
  `CREATE TABLE genesis(
  id INTEGER PRIMARY KEY CHECK(id=1),
  record TEXT NOT NULL
) STRICT`,
  `CREATE TABLE head(
  id INTEGER PRIMARY KEY CHECK(id=1),
  note TEXT NOT NULL,
  frontier BLOB NOT NULL,
  open TEXT NOT NULL,
  mark_size INTEGER NOT NULL,
  mark_frontier BLOB NOT NULL
) STRICT`,
  'CREATE INDEX e_run ON entry(run)',
  'CREATE UNIQUE INDEX e_ref ON entry(ref) WHERE ref IS NOT NULL',
  'CREATE INDEX e_ts ON entry(ts)',
  'CREATE INDEX e_tool ON entry(tool) WHERE tool IS NOT NULL',
  'CREATE INDEX e_code ON entry(code) WHERE code NOT IN (0,1,10,20,21)',
  'CREATE INDEX e_kind ON entry(kind) WHERE kind NOT IN (2,3,4,20,21)',
  ...appendOnly('entry'),
  ...appendOnly('dict'),
  ...appendOnly('seen'),
  ...appendOnly('genesis'),
  `CREATE TRIGGER blob_update BEFORE UPDATE ON blob BEGIN SELECT RAISE(ABORT,'append-only'); END`,
  `CREATE TRIGGER head_delete BEFORE DELETE ON head BEGIN SELECT RAISE(ABORT,'append-only'); END`,
  `CREATE TRIGGER entry_insert BEFORE INSERT ON entry
WHEN NEW.seq IS NOT (SELECT coalesce(max(seq),0)+1 FROM entry)
OR (NEW.ref IS NOT NULL AND (NEW.ref>=NEW.seq OR EXISTS(SELECT 1 FROM entry WHERE ref=NEW.ref)))
BEGIN SELECT RAISE(ABORT,'append-only'); END`,
  `CREATE TRIGGER dict_insert BEFORE INSERT ON dict
WHEN NEW.id IS NOT (SELECT coalesce(max(id),0)+1 FROM dict)
OR EXISTS(SELECT 1 FROM dict WHERE kind=NEW.kind AND name=NEW.name)
BEGIN SELECT RAISE(ABORT,'append-only'); END`,
  `CREATE TRIGGER seen_insert BEFORE INSERT ON seen
WHEN EXISTS(SELECT 1 FROM seen WHERE id=NEW.id AND run=NEW.run)
BEGIN SELECT RAISE(ABORT,'append-only'); END`,
  `CREATE TRIGGER blob_insert BEFORE INSERT ON blob
WHEN EXISTS(SELECT 1 FROM blob WHERE seq=NEW.seq AND slot=NEW.slot)
BEGIN SELECT RAISE(ABORT,'append-only'); END`,
  `CREATE TRIGGER genesis_insert BEFORE INSERT ON genesis
WHEN EXISTS(SELECT 1 FROM genesis)
BEGIN SELECT RAISE(ABORT,'append-only'); END`,
  `CREATE TRIGGER head_insert BEFORE INSERT ON head
WHEN EXISTS(SELECT 1 FROM head)
BEGIN SELECT RAISE(ABORT,'append-only'); END`,
];

/** What the genesis record names as `schema`. */
export const SCHEMA_HASH = sha256Hex(SCHEMA.join(';\n'));

function appendOnly(table: string): string[] {
  return ['UPDATE', 'DELETE'].map(
    (verb) =>
      `CREATE TRIGGER ${table}_${verb.toLowerCase()} BEFORE ${verb} ON ${table} BEGIN SELECT RAISE(ABORT,'append-only'); END`,
  );
}
