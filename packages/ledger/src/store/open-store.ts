import { SublError } from '@subluminal/core-types';
import type { Database } from 'better-sqlite3';
import { createPublicKey, type KeyObject } from 'node:crypto';
import { readGenesis, type Genesis } from '../genesis/record.js';
import { HeadsLogWriter, readHeadsLog, type HeadsLog } from '../head/heads-log.js';
import { corrupt, readHead, selectHead, type Head } from '../head/row.js';
import { rawPublicKey } from '../head/note.js';
import { syncFile } from '../files/sync-file.js';
import { schemaDifference } from '../schema/check.js';
import type { Durability } from '../schema/connection.js';
import { SCHEMA_HASH } from '../schema/ddl.js';
import { HeadKeeper } from './head-keeper.js';
import { Store } from './store.js';
import { rehashTail, type Tail } from './tail.js';

/** How the outside memory was found. `recreated`: entries exist that no line of it covers. */
export type MemoryState = 'off' | 'matched' | 'created' | 'recreated';

/** What it takes to open the store. `openDatabase` gives a writer's connection with every setting asserted. */
export interface OpenStoreOptions {
  readonly path: string;
  readonly privateKey: KeyObject;
  readonly headsLog?: string | undefined;
  readonly durability: Durability;
  readonly nowMs: number;
  readonly openDatabase: (path: string, durability: Durability) => Database;
}

/** An opened store and what was learnt on the way. */
export interface OpenedStore {
  readonly store: Store;
  readonly genesis: Genesis;
  readonly memory: MemoryState;
}

/**
 * Opens the ledger for writing, and only if it hangs together: schema, genesis and key, signed head, everything since
 * the mark re-hashed up to the tip, and heads.log a prefix of it.
 *
 * @throws SublError `ledger_missing`, `ledger_unsafe`, `ledger_corrupt`.
 */
export function openStore(options: OpenStoreOptions): OpenedStore {
  const { path } = options;
  const db = options.openDatabase(path, options.durability);
  try {
    const difference = schemaDifference(db);
    if (difference !== null) throw corrupt(path, difference);
    const genesis = loadGenesis(db, path);
    if (!rawPublicKey(createPublicKey(options.privateKey)).equals(rawPublicKey(genesis.publicKey))) {
      throw new SublError(
        'ledger_unsafe',
        `the signing key is not the one that the ledger \`${path}\` names`,
      );
    }
    const head = readHead(selectHead(db), genesis.ledgerId, genesis.publicKey);
    if (typeof head === 'string') throw corrupt(path, head);
    const log = loadHeadsLog(options.headsLog, genesis, path);
    const tail = rehashTail(db, genesis, head, log?.lines ?? []);
    if (typeof tail === 'string') throw corrupt(path, tail);
    return build(options, db, genesis, head, log, tail);
  } catch (error) {
    db.close();
    throw error;
  }
}

function build(
  options: OpenStoreOptions,
  db: Database,
  genesis: Genesis,
  head: Head,
  log: HeadsLog | null,
  tail: Tail,
): OpenedStore {
  const { headsLog: logPath, privateKey, nowMs } = options;
  const headsLog =
    logPath === undefined
      ? undefined
      : HeadsLogWriter.open(logPath, genesis.fingerprint, log?.completeBytes ?? 0);
  const { ledgerId } = genesis;
  try {
    const heads = new HeadKeeper({
      db,
      ledgerId,
      privateKey,
      frontier: tail.frontier,
      headSize: head.checkpoint.size,
      mark: tail.newestMark,
      olderMark: head.mark,
      headsLog,
      // With synchronous=NORMAL a commit may still be lost to a power cut, and heads.log must not outlive it.
      settle: options.durability === 'process' ? () => syncFile(`${options.path}-wal`) : undefined,
    });
    const store = new Store({ db, ledgerId, seq: tail.seq, leaf: tail.leaf, open: tail.open, heads });
    const memory = memoryState(headsLog !== undefined, head, log, tail);
    if (memory === 'recreated') heads.restate(nowMs);
    else heads.remember(nowMs);
    return { store, genesis, memory };
  } catch (error) {
    headsLog?.close();
    throw error;
  }
}

function memoryState(isKept: boolean, head: Head, log: HeadsLog | null, tail: Tail): MemoryState {
  if (!isKept) return 'off';
  const known = log?.lines.at(-1)?.size ?? 0;
  if (tail.seq > 0 && (known === 0 || known < head.mark.size)) return 'recreated';
  return log === null ? 'created' : 'matched';
}

/** Reads the genesis record of an open ledger. Throws `ledger_corrupt`. */
export function loadGenesis(db: Database, path: string): Genesis {
  const record = db.prepare<[], string>('SELECT record FROM genesis WHERE id = 1').pluck().get();
  const genesis = record === undefined ? undefined : readGenesis(record);
  if (genesis === undefined) throw corrupt(path, 'there is no readable genesis record');
  if (genesis.schemaHash !== SCHEMA_HASH) throw corrupt(path, 'the genesis record names another schema');
  return genesis;
}

function loadHeadsLog(logPath: string | undefined, genesis: Genesis, path: string): HeadsLog | null {
  if (logPath === undefined) return null;
  const log = readHeadsLog(logPath);
  if (log === 'missing') return null;
  if (log === 'broken') throw corrupt(path, `the heads log \`${logPath}\` is damaged`);
  if (log.fingerprint !== genesis.fingerprint) {
    throw corrupt(path, `the heads log \`${logPath}\` belongs to a ledger with another genesis`);
  }
  return log;
}
