import { SublError } from '@subluminal/core-types';
import type { Database } from 'better-sqlite3';
import { createPublicKey, type KeyObject } from 'node:crypto';
import { closeSync, linkSync, mkdirSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { KINDS } from '../entry/kinds.js';
import { syncFile } from '../files/sync-file.js';
import { syncFolder } from '../files/sync-folder.js';
import type { Genesis } from '../genesis/record.js';
import { signCheckpoint } from '../head/note.js';
import { corrupt, openList, selectHead } from '../head/row.js';
import { APPLICATION_ID, SCHEMA, SCHEMA_VERSION } from '../schema/ddl.js';
import { VIEWS } from '../schema/views.js';
import type { Sealer } from '../seal/sealer.js';
import { newestSeal } from '../seal/stored.js';
import { HeadKeeper } from '../store/head-keeper.js';
import { Store } from '../store/store.js';
import { systemEntry } from '../store/system-entry.js';
import type { Frontier } from '../merkle/frontier.js';
import { writeBase, type Base } from './base.js';
import { collectCarried, writeCarried, type Carried } from './carried.js';
import { closedName, segmentsFolder } from './closed.js';
import { openedData } from './succession.js';
import { openDatabase } from '../sqlite/open.js';

/** A file that has ended, held by its writer alone, and what its successor needs. */
export interface Ended {
  readonly db: Database;
  readonly path: string;
  readonly genesis: Genesis;
  readonly base: Base;
  /** Behind its last entry. */
  readonly tip: { readonly seq: number; readonly leaf: string };
  readonly frontier: Frontier;
  readonly sealer: Sealer;
  /** The log key. */
  readonly privateKey: KeyObject;
  readonly nowMs: number;
}

/**
 * Writes the file that goes on from one that has ended, complete with its first entry, beside it. A draft of
 * a rotation that was cut off is thrown away.
 *
 * @returns its path.
 */
export function draftSuccessor(ended: Ended): string {
  const draft = `${ended.path}.next`;
  for (const end of ['', '-journal', '-wal', '-shm']) rmSync(draft + end, { force: true });
  const { db: old, genesis, tip } = ended;
  const seal = newestSeal(old, genesis, ended.base, Number.MAX_SAFE_INTEGER);
  if (typeof seal === 'string') throw corrupt(ended.path, seal);
  const open = openList(selectHead(old)?.open ?? '[]');
  const carried = collectCarried(old, open);
  const base: Base = {
    segment: ended.base.segment + 1,
    seq: tip.seq,
    leaf: tip.leaf,
    frontier: ended.frontier,
    seals: seal.n,
    sealKey: createPublicKey(ended.sealer.key),
  };
  closeSync(openSync(draft, 'wx', 0o600));
  const db = openDatabase(draft, { fileMustExist: true });
  try {
    db.pragma('synchronous=FULL');
    db.exec('BEGIN IMMEDIATE');
    fill(db, ended, base, carried, open);
    begin(db, ended, base, carried, open);
    db.pragma('journal_mode=WAL');
  } finally {
    db.close();
  }
  syncFile(draft);
  return draft;
}

/**
 * Puts a draft into the place of the file that has ended and is closed by now, which gets its name among the
 * closed ones first: at every moment both are there, under one name or two.
 */
export function replaceBySuccessor({ path, base, tip }: Ended, draft: string): void {
  const folder = segmentsFolder(path);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  syncFolder(dirname(folder));
  const closed = join(folder, closedName({ number: base.segment, first: base.seq + 1, last: tip.seq }));
  linkOnce(path, closed);
  syncFolder(folder);
  renameSync(draft, path);
  syncFolder(dirname(path));
}

function linkOnce(path: string, closed: string): void {
  const there = statSync(closed, { throwIfNoEntry: false });
  if (there === undefined) return link(path, closed);
  const { dev, ino } = statSync(path);
  if (there.dev !== dev || there.ino !== ino)
    throw new SublError(
      'ledger_unsafe',
      `another file stands where \`${path}\` would be closed: \`${closed}\``,
      { help: 'move it away: the ledger goes on by itself as soon as the name is free' },
    );
}

function link(path: string, closed: string): void {
  try {
    linkSync(path, closed);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new SublError('ledger_unsafe', `\`${path}\` has ended and cannot be closed: ${why}`, {
      cause,
      help: `\`${dirname(closed)}\` has to be a folder that can be written, on the file system of the ledger`,
    });
  }
}

/** Schema, genesis record, base, what goes on, the tiles so far, and a head at the base. */
function fill(db: Database, ended: Ended, base: Base, carried: Carried, open: readonly number[]): void {
  const { db: old, genesis, privateKey, sealer } = ended;
  db.pragma(`application_id=${APPLICATION_ID}`);
  db.pragma(`user_version=${SCHEMA_VERSION}`);
  for (const statement of [...SCHEMA, ...VIEWS]) db.exec(statement);
  const record = old.prepare<[], string>('SELECT record FROM genesis').pluck().get();
  db.prepare('INSERT INTO genesis(id, record) VALUES(1, ?)').run(record);
  writeBase(db, base);
  writeCarried(db, carried);
  const insert = db.prepare<[number, number, Buffer]>('INSERT INTO tile(lvl,idx,hash) VALUES(?,?,?)');
  const tiles = old.prepare<[], { lvl: number; idx: number; hash: Buffer }>('SELECT * FROM tile');
  for (const { lvl, idx, hash } of tiles.iterate()) insert.run(lvl, idx, hash);
  const checkpoint = { size: base.seq, root: base.frontier.root() };
  const note = signCheckpoint(genesis.ledgerId, checkpoint, { log: privateKey, seal: sealer.key });
  const bytes = base.frontier.toBytes();
  db.prepare('INSERT INTO head VALUES(1, ?, ?, ?, ?, ?)').run(
    note,
    bytes,
    `[${open.join(',')}]`,
    base.seq,
    bytes,
  );
}

/** The first entry, as the writer of any other would write it, and COMMIT. */
function begin(db: Database, ended: Ended, base: Base, carried: Carried, open: readonly number[]): void {
  const { genesis, privateKey, sealer, nowMs, tip } = ended;
  const { ledgerId, fingerprint } = genesis;
  const heads = new HeadKeeper({
    db,
    ledgerId,
    privateKey,
    sealKey: () => sealer.key,
    frontier: base.frontier.clone(),
    headSize: base.seq,
    mark: base.frontier,
    olderMark: base.frontier,
    headsLog: undefined,
    settle: undefined,
  });
  const facts = { db, ledgerId, fingerprint, tip };
  const start = { ...facts, open: new Set(open), heads, sealer, base, segmentBytes: Infinity };
  const entry = systemEntry(KINDS.segment_opened, nowMs, openedData(base, carried));
  new Store(start).finishTransaction([entry], nowMs, { sealed: false });
}
