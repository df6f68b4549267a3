import { rawPublicKey, SublError } from '@subluminal/core-types';
import type { Database } from 'better-sqlite3';
import { createPublicKey, type KeyObject } from 'node:crypto';
import { loadGenesis } from '../genesis/load.js';
import type { Genesis } from '../genesis/record.js';
import { HeadsLogWriter } from '../head/heads-log.js';
import { corrupt } from '../head/row.js';
import { syncFile, syncFileAside } from '../files/sync-file.js';
import { schemaDifference } from '../schema/check.js';
import { asLedgerError, type Durability } from '../schema/connection.js';
import { SealKeyFile } from '../seal/key-file.js';
import { keyText } from '../seal/record.js';
import { Sealer } from '../seal/sealer.js';
import { readBase } from '../segments/base.js';
import { openPredecessor, type Predecessor } from '../segments/predecessor.js';
import { hasEnded } from '../segments/succession.js';
import { draftSuccessor, replaceBySuccessor } from '../segments/successor.js';
import { KINDS } from '../entry/kinds.js';
import { contradictedRestore } from '../restore/declared.js';
import { signRestored } from '../restore/record.js';
import { HeadKeeper } from './head-keeper.js';
import { loadHeadsLog, memoryState, prove, type MemoryState, type Proved } from './prove.js';
import { Store } from './store.js';
import { systemEntry } from './system-entry.js';

/** `openDatabase` gives a writer's connection with every setting asserted. */
export interface OpenStoreOptions {
  readonly path: string;
  /** The log key. */
  readonly privateKey: KeyObject;
  /** The file of the evolving seal key, which the store reads and hands over by itself. */
  readonly sealKeyPath: string;
  readonly headsLog?: string | undefined;
  readonly durability: Durability;
  /** With so many bytes the ledger goes on in another file; never, unless given. */
  readonly segmentBytes?: number | undefined;
  readonly nowMs: number;
  readonly openDatabase: (path: string, durability: Durability) => Database;
  /**
   * The ledger has just been put back from a backup: it gets the entry that says so, and goes on with a fresh
   * seal key.
   */
  readonly restored?: RestoreTerms;
}

/** A restored ledger's words on the ledger that it replaces. */
export interface RestoreTerms {
  readonly knownSize: number;
  /** Lowercase hex; null where nobody knows it. */
  readonly knownRoot: string | null;
  readonly reason: string;
}

/** An opened store, and the facts that were read on the way. */
export interface OpenedStore {
  readonly store: Store;
  readonly genesis: Genesis;
  readonly memory: MemoryState;
  /**
   * Ends the file and opens the next one, where the ledger goes on; the store is of no further use then. Call
   * after `quiet`. Undefined where somebody reads the file: the store goes on with it.
   *
   * @throws SublError what the disk or the ledger failed with. The store is of no further use; the next start
   * goes on.
   */
  readonly rotate: (nowMs: number) => OpenedStore | undefined;
}

/**
 * Opens the ledger for writing, and only if it hangs together: schema, genesis and key, signed head, newest
 * seal and the key it names, everything since the mark re-hashed up to the tip, and heads.log a prefix of it.
 *
 * @throws SublError `ledger_missing`, `ledger_unsafe`, `ledger_corrupt`, `key_missing`, `home_too_old`,
 * `not_available` (a later version wrote it).
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
    const base = readBase(db);
    if (base === undefined) throw corrupt(path, 'it does not say where it begins');
    const { headsLog } = options;
    const isRestored = options.restored !== undefined;
    const proved = prove({ path, db, genesis, base, headsLog, isRestored });
    const keyFile = new SealKeyFile(options.sealKeyPath);
    if (options.restored !== undefined) return restore(options, options.restored, proved, keyFile);
    const contradicted = contradictedRestore(db, proved.log?.lines ?? []);
    if (contradicted !== null) throw corrupt(path, contradicted);
    const key = keyFile.settle(keyText(proved.newest.key));
    if (typeof key === 'string') throw corrupt(path, key);
    return goOn(options, build(options, proved, keyFile, key), hasEnded(db));
  } catch (error) {
    db.close();
    throw asLedgerError(path, error);
  }
}

/**
 * A file that has ended is followed by its successor, as a crash may have kept the last writer from doing; a
 * full one where nobody reads it.
 */
function goOn(options: OpenStoreOptions, opened: OpenedStore, ended: boolean): OpenedStore {
  opened.store.measure();
  if (!ended && !opened.store.isFull) return opened;
  const next = opened.rotate(options.nowMs);
  if (next !== undefined || !ended) return next ?? opened;
  throw new SublError('ledger_unsafe', `another process reads \`${options.path}\`, which has ended`, {
    help: 'end that process: the ledger goes on in its next file as soon as nobody has this one open',
  });
}

/**
 * Goes on with a ledger that was put back. The line in heads.log comes first: it says to which size
 * everything falls. Then, in one transaction, the entry that the log key signs, and the first seal of the
 * fresh key. Cut off between the two, the ledger does not open until it is restored again.
 */
function restore(
  options: OpenStoreOptions,
  terms: RestoreTerms,
  proved: Proved,
  keyFile: SealKeyFile,
): OpenedStore {
  const { path, privateKey, nowMs } = options;
  const { db, genesis, tail } = proved;
  const key = keyFile.first();
  const root = tail.frontier.root();
  if (options.headsLog !== undefined) {
    const { completeBytes = 0 } = proved.log ?? {};
    const writer = HeadsLogWriter.open(options.headsLog, genesis.fingerprint, completeBytes);
    try {
      writer.append({ size: tail.seq, root, ts: nowMs, restored: true });
    } finally {
      writer.close();
    }
  }
  const base64 = (hex: string): string => Buffer.from(hex, 'hex').toString('base64');
  const data = signRestored(
    genesis.ledgerId,
    {
      size: tail.seq,
      root: base64(root),
      knownSize: Math.max(terms.knownSize, tail.seq),
      knownRoot: terms.knownRoot === null ? '' : base64(terms.knownRoot),
      sealKey: keyText(createPublicKey(key)),
      reason: terms.reason,
    },
    privateKey,
  );
  const log = loadHeadsLog(options.headsLog, genesis, path);
  db.exec('BEGIN IMMEDIATE');
  const opened = build(options, { ...proved, log }, keyFile, key);
  try {
    opened.store.finishTransaction([systemEntry(KINDS.restored, nowMs, data)], nowMs);
    return opened;
  } catch (error) {
    opened.store.close();
    throw error;
  }
}

function build(options: OpenStoreOptions, proved: Proved, keyFile: SealKeyFile, key: KeyObject): OpenedStore {
  const { headsLog: logPath, privateKey } = options;
  const { db, genesis, base, head, newest, log, tail } = proved;
  const { ledgerId } = genesis;
  const headsLog =
    logPath === undefined
      ? undefined
      : HeadsLogWriter.open(logPath, genesis.fingerprint, log?.completeBytes ?? 0);
  let predecessor: Predecessor | undefined;
  // With synchronous=NORMAL a commit may still be lost to a power cut, and neither heads.log nor the seal key
  // may outlive it.
  const wal = `${options.path}-wal`;
  const settle =
    options.durability === 'process'
      ? { now: () => syncFile(wal), aside: () => syncFileAside(wal) }
      : undefined;
  try {
    predecessor = openPredecessor(options.path, db, ledgerId, base);
    const sealer = new Sealer({ ledgerId, file: keyFile, key, n: newest.n, seq: newest.seq, settle });
    const heads = new HeadKeeper({
      db,
      ledgerId,
      privateKey,
      sealKey: () => sealer.key,
      frontier: tail.frontier,
      headSize: head.checkpoint.size,
      mark: tail.newestMark,
      olderMark: head.mark,
      headsLog,
      settle,
    });
    const { seq, leaf, open } = tail;
    const segmentBytes = options.segmentBytes ?? Number.POSITIVE_INFINITY;
    const store = new Store({
      db,
      ledgerId,
      fingerprint: genesis.fingerprint,
      tip: { seq, leaf },
      open,
      heads,
      sealer,
      base,
      segmentBytes,
      predecessor,
    });
    const memory = memoryState(headsLog !== undefined, head, log, tail);
    if (memory === 'recreated') heads.restate(options.nowMs);
    else heads.remember(options.nowMs);
    const rotate = (nowMs: number): OpenedStore | undefined => {
      try {
        if (!store.endFile(nowMs)) return undefined;
        const facts = { db, path: options.path, genesis, base, tip: store.tip, frontier: tail.frontier };
        const ended = { ...facts, sealer, privateKey, nowMs };
        const draft = draftSuccessor(ended);
        db.close();
        replaceBySuccessor(ended, draft);
      } catch (error) {
        store.close();
        throw asLedgerError(options.path, error);
      }
      store.close();
      return openStore({ ...options, nowMs });
    };
    return { store, genesis, memory, rotate };
  } catch (error) {
    predecessor?.close();
    headsLog?.close();
    throw error;
  }
}
