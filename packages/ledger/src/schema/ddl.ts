import { sha256Hex } from '@subluminal/core-types';

/** `PRAGMA application_id` of a ledger: "SubL". */
export const APPLICATION_ID = 0x5375624c;

/** The `application_id` of ledgers from before schema version 1: "Subl". No version reads them any more. */
export const BEFORE_VERSION_1 = 0x5375626c;

/**
 * `PRAGMA user_version`: the version of the tables. A change of them is a new version. The writer then takes
 * a file from each version to the next one, and the genesis record of an older ledger keeps the hash of the
 * version that it began with.
 */
export const SCHEMA_VERSION = 1;

/** The most blobs of one entry. */
export const BLOBS_AN_ENTRY = 64;

/** The lowest and the highest `blob.id` that an entry may use. */
export function blobIds(seq: number): readonly [number, number] {
  return [seq * BLOBS_AN_ENTRY, seq * BLOBS_AN_ENTRY + BLOBS_AN_ENTRY - 1];
}

/**
 * Every table, index and trigger, in the text that `sqlite_schema` keeps. The genesis record holds the hash
 * of these texts.
 *
 * The triggers bind every connection, not only the writer's. `INSERT OR REPLACE` fires no delete trigger on a
 * connection without recursive_triggers, so each unique key by which a row could displace another has a guard
 * on insert. `seen` and `blob` have none: it would cost every call, and a verification finds a claim or a
 * preview that was displaced.
 *
 * The indexes are those that the writer, the chain of a run and a restart need: the entries of a run, the
 * entry that refers to another one, the entries of rare kinds, and the times of all that are no calls. A
 * restart counts by them, so they stand where a verification looks. Times of calls, tools, codes and calls
 * are in `index.db`.
 *
 * A blob's `id` is the number of its entry times 64 (`BLOBS_AN_ENTRY`), plus its place among the entry's
 * blobs. A table by rowid: in an index tree a preview of a thousand bytes would get a page of its own.
 *
 * `tile` holds the nodes of the tree from level 1 up; the leaves are `entry.hash`. `base` says where the file
 * begins. `carried` and `carried_run` hold what goes on from an older file: entries that may still be
 * referred to, and the tips of runs that have not ended.
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
  id INTEGER PRIMARY KEY,
  seq INTEGER GENERATED ALWAYS AS (id>>6) VIRTUAL,
  slot TEXT NOT NULL,
  salt BLOB NOT NULL CHECK(length(salt)=16),
  data BLOB NOT NULL
) STRICT`,
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
  'CREATE INDEX e_ref ON entry(ref) WHERE ref IS NOT NULL',
  'CREATE INDEX e_kind ON entry(kind) WHERE kind NOT IN (2,3,4,20,21)',
  'CREATE INDEX e_ts ON entry(ts) WHERE kind NOT IN (2,3,4)',
  ...appendOnly('entry'),
  ...appendOnly('dict'),
  ...appendOnly('seen'),
  ...appendOnly('genesis'),
  `CREATE TRIGGER blob_update BEFORE UPDATE ON blob BEGIN SELECT RAISE(ABORT,'append-only'); END`,
  `CREATE TRIGGER head_delete BEFORE DELETE ON head BEGIN SELECT RAISE(ABORT,'append-only'); END`,
  `CREATE TRIGGER entry_insert BEFORE INSERT ON entry
WHEN NEW.seq IS NOT coalesce((SELECT max(seq) FROM entry),(SELECT seq FROM base))+1
BEGIN SELECT RAISE(ABORT,'append-only'); END`,
  `CREATE TRIGGER dict_insert BEFORE INSERT ON dict
WHEN NEW.id IS NOT (SELECT coalesce(max(id),0)+1 FROM dict)
OR EXISTS(SELECT 1 FROM dict WHERE kind=NEW.kind AND name=NEW.name)
BEGIN SELECT RAISE(ABORT,'append-only'); END`,
  `CREATE TRIGGER genesis_insert BEFORE INSERT ON genesis
WHEN EXISTS(SELECT 1 FROM genesis)
BEGIN SELECT RAISE(ABORT,'append-only'); END`,
  `CREATE TRIGGER head_insert BEFORE INSERT ON head
WHEN EXISTS(SELECT 1 FROM head)
BEGIN SELECT RAISE(ABORT,'append-only'); END`,

  `CREATE TABLE tile(
  lvl INTEGER NOT NULL CHECK(lvl>0),
  idx INTEGER NOT NULL,
  hash BLOB NOT NULL CHECK(length(hash)=32),
  PRIMARY KEY(lvl,idx)
) STRICT, WITHOUT ROWID`,
  `CREATE TABLE base(
  id INTEGER PRIMARY KEY CHECK(id=1),
  segment INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  leaf BLOB NOT NULL CHECK(length(leaf)=32),
  frontier BLOB NOT NULL,
  seals INTEGER NOT NULL,
  seal_key BLOB NOT NULL CHECK(length(seal_key)=32)
) STRICT`,
  `CREATE TABLE carried(
  seq INTEGER PRIMARY KEY,
  kind INTEGER NOT NULL,
  code INTEGER NOT NULL,
  run INTEGER NOT NULL
) STRICT`,
  `CREATE TABLE carried_run(
  run INTEGER PRIMARY KEY,
  next INTEGER NOT NULL,
  last BLOB NOT NULL CHECK(length(last)=32)
) STRICT`,
  ...['tile', 'base', 'carried', 'carried_run'].flatMap(appendOnly),
  `CREATE TRIGGER tile_insert BEFORE INSERT ON tile
WHEN NEW.idx IS NOT (SELECT coalesce(max(idx),-1)+1 FROM tile WHERE lvl=NEW.lvl)
BEGIN SELECT RAISE(ABORT,'append-only'); END`,
  `CREATE TRIGGER base_insert BEFORE INSERT ON base
WHEN EXISTS(SELECT 1 FROM base)
BEGIN SELECT RAISE(ABORT,'append-only'); END`,
  ...['carried', 'carried_run'].map(
    (table) => `CREATE TRIGGER ${table}_insert BEFORE INSERT ON ${table}
WHEN EXISTS(SELECT 1 FROM entry) OR EXISTS(SELECT 1 FROM ${table} WHERE rowid=NEW.rowid)
BEGIN SELECT RAISE(ABORT,'append-only'); END`,
  ),
];

/** The `schema` of a genesis record. */
export function schemaHash(): string {
  return sha256Hex(SCHEMA.join(';\n'));
}

function appendOnly(table: string): string[] {
  return ['UPDATE', 'DELETE'].map(
    (verb) =>
      `CREATE TRIGGER ${table}_${verb.toLowerCase()} BEFORE ${verb} ON ${table} BEGIN SELECT RAISE(ABORT,'append-only'); END`,
  );
}
