import type { Database } from 'better-sqlite3';
import type { Genesis } from '../genesis/record.js';
import { readGenesis } from '../genesis/record.js';
import { readHead, selectHead, type Head, type HeadRow } from '../head/row.js';
import { logSignedPart } from '../head/note.js';
import { layoutOf, schemaDifference } from '../schema/check.js';
import { openReadOnly } from '../schema/connection.js';
import { schemaHash, type Layout } from '../schema/ddl.js';
import { keyText } from '../seal/record.js';
import { SealKeyFile, type SealKeysFound } from '../seal/key-file.js';
import { genesisMismatch } from '../genesis/layout.js';
import { Checkpoints } from './checkpoints.js';
import { EntryChecker } from './entries.js';
import { NoHelpers, Threads, type Helpers } from './helpers.js';
import { checkMemory, checkRestores, readMemory, type Memory, type ReadMemory } from './memory.js';
import { checkOutside, type OutsideMemory } from './outside.js';
import type { PageSource } from './page-source.js';
import { Pages } from './pages.js';
import { checkNumbering } from './names.js';
import { checkFirstBase } from './base.js';
import { checkSingleRows } from './single-rows.js';
import type { Finding, VerifyReport } from './report.js';
import { Verification } from './verification.js';

/** What to verify against, and how to follow the work. */
export interface VerifyOptions extends OutsideMemory {
  /** The memory outside of the ledger. Without one the verdict is at best `unproven`. */
  readonly headsLog?: string;
  /** Expected genesis fingerprint, 64 hex digits. */
  readonly pin?: string;
  /** The file of the seal key, where the ledger is the one of this home: its newest seal has to name that key. */
  readonly sealKeyPath?: string;
  /** The ledger is a backup: the heads log may know more, and has to agree with all of it. */
  readonly backup?: boolean;
  /** True where a gateway is known to be writing: entries behind the signed head are then the normal case. */
  readonly live?: boolean;
  readonly onProgress?: (checked: number, total: number) => void;
  readonly signal?: AbortSignal;
  /** Threads at work. Unless given: more than one where there are entries enough for it to be worth it. */
  readonly threads?: 1 | 2;
  /** The threads' file, where it does not lie beside this module. */
  readonly workerUrl?: URL;
}

/**
 * Recomputes a ledger from nothing but its file (and the memory outside of it) and says whether anything in it was
 * changed, hidden, added or cut off. It reads inside one transaction, so it works while a gateway writes; it never
 * throws for what it finds. Exit status: ok 0, unproven 6, tampered 4, unchecked 1.
 */
export async function verifyLedger(path: string, options: VerifyOptions = {}): Promise<VerifyReport> {
  if (options.threads !== 1) {
    const threads = new Threads(path, options.workerUrl, options.threads === undefined ? undefined : 1);
    const report = await verifyWith(threads, path, options);
    const isGood = report.verdict === 'ok' || report.verdict === 'unproven';
    if (isGood || !threads.areThreads || options.signal?.aborted === true) return report;
    // Several snapshots have found fault, or a thread could not work: one snapshot in one thread gives the verdict.
  }
  return verifyWith(new NoHelpers(), path, options);
}

/** `verifyLedger` with the parts that others do done by `helpers`. */
export async function verifyWith(
  helpers: Helpers,
  path: string,
  options: VerifyOptions,
): Promise<VerifyReport> {
  const state = new Verification();
  let db: Database | undefined;
  try {
    const remembered = readMemory(options.headsLog);
    db = openReadOnly(path);
    db.exec('BEGIN');
    await checkAll(db, helpers, remembered, readKeys(db, options.sealKeyPath), options, state);
  } catch (error) {
    state.failed(error);
  } finally {
    helpers.close();
    db?.close();
  }
  return state.report();
}

/** The checks in their order: each relies only on what those before it have proved. */
async function checkAll(
  db: Database,
  helpers: Helpers,
  remembered: ReadMemory,
  keys: readonly SealKeysFound[],
  options: VerifyOptions,
  state: Verification,
): Promise<void> {
  const difference = schemaDifference(db);
  if (difference !== null) return state.found({ seq: 0, class: 'schema', detail: difference });
  const layout = layoutOf(db) ?? 1;

  const stray = checkSingleRows(db, layout) ?? checkNumbering(db);
  if (stray !== null) return state.found(stray);
  const genesis = checkGenesis(db);
  if ('class' in genesis) return state.found(genesis);
  state.genesis = genesis;

  // The log key's signature alone: which seal key was in force is known once the seals have been walked.
  const row = selectHead(db);
  const byLogKey = row === undefined ? undefined : { ...row, note: logSignedPart(row.note) };
  const head = readHead(byLogKey, genesis.ledgerId, { log: genesis.publicKey });
  if (typeof head === 'string' || row === undefined) {
    return state.found({
      seq: 0,
      class: 'head',
      detail: typeof head === 'string' ? head : 'there is no head',
    });
  }
  state.head = head;

  const memory = checkMemory(genesis, head, remembered, {
    ...(options.pin === undefined ? {} : { pin: options.pin }),
    older: options.backup === true ? newestSeq(db) : undefined,
  });
  state.memory = memory;
  const misplaced = memory.finding ?? (layout === 1 ? null : checkFirstBase(db, genesis));
  if (misplaced !== null) return state.found(misplaced);

  const finding =
    (await checkEntries(db, helpers, layout, genesis, head, row, memory, options, state)) ??
    checkDict(db, state.checker) ??
    checkKeys(keys, state.checker) ??
    (await helpers.integrity(db)) ??
    checkOutside(db, options);
  if (finding !== null) return state.found(finding);
  state.complete(options.live === true);
}

async function checkEntries(
  db: Database,
  helpers: Helpers,
  layout: Layout,
  genesis: Genesis,
  head: Head,
  row: HeadRow,
  memory: Memory,
  options: VerifyOptions,
  state: Verification,
): Promise<Finding | null> {
  const checkpoints = new Checkpoints(genesis, head, row, memory.lines);
  const checker = new EntryChecker(db, genesis, layout, checkpoints);
  state.checker = checker;
  const range = db.prepare<[], { first: number | null; last: number | null }>(
    'SELECT (SELECT min(seq) FROM entry) AS first, (SELECT max(seq) FROM entry) AS last',
  );
  const { first, last: newest } = range.get() ?? { first: null, last: null };
  if (first !== null && first < 1)
    return { seq: first, class: 'stray', detail: 'it comes before the first entry' };
  const last = newest ?? 0;
  const { ledgerId } = genesis;
  const source = helpers.pages(db, { ledgerId, first: 1, last, before: checker.leaf });
  const finding =
    (checkpoints.next === 0 ? checkpoints.check(checker) : null) ??
    (await checkPages(source, new Pages(db, ledgerId), checker, last, options));
  if (finding !== null) return finding;
  options.onProgress?.(last, last);
  return (
    checkpoints.settle(last) ??
    checkRestores(memory, checker.seals) ??
    checker.seals?.settle(last) ??
    checker.tiles?.settle(last) ??
    checker.blobs.settleAll() ??
    checker.expiry.settle() ??
    checker.seen.settle()
  );
}

async function checkPages(
  source: PageSource,
  pages: Pages,
  checker: EntryChecker,
  last: number,
  options: VerifyOptions,
): Promise<Finding | null> {
  while (checker.frontier.size < last) {
    for (const page of await source.next()) {
      const finding = pages.check(checker, page);
      if (finding !== null) return finding;
    }
    await turn(options, checker.frontier.size, last);
  }
  return null;
}

function newestSeq(db: Database): number {
  return db.prepare<[], number>('SELECT coalesce(max(seq),0) FROM entry').pluck().get() ?? 0;
}

function checkGenesis(db: Database): Genesis | Finding {
  const record = db.prepare<[], string>('SELECT record FROM genesis WHERE id = 1').pluck().get();
  const genesis = record === undefined ? undefined : readGenesis(record);
  if (genesis === undefined)
    return { seq: 0, class: 'genesis', detail: 'there is no readable genesis record' };
  if (genesis.schemaHash !== schemaHash(genesis.layout)) {
    return { seq: 0, class: 'genesis', detail: 'the genesis record names another schema' };
  }
  const older = genesisMismatch(db, genesis);
  return older === null ? genesis : { seq: 0, class: 'schema', detail: older };
}

/**
 * The keys in the keystore, read on both sides of the moment at which the transaction's snapshot is taken: a gateway that
 * is at work may hand over its key just then.
 */
function readKeys(db: Database, path: string | undefined): SealKeysFound[] {
  if (path === undefined) return [];
  const file = new SealKeyFile(path);
  const before = file.found();
  db.prepare('SELECT count(*) FROM sqlite_schema').get();
  return [before, file.found()];
}

/** The newest seal names the key that this home holds: of a ledger that was put back it would be another. */
function checkKeys(keys: readonly SealKeysFound[], checker: EntryChecker | undefined): Finding | null {
  if (keys.length === 0 || checker === undefined) return null;
  const inForce = keyText(checker.seals?.key ?? checker.logKey);
  const held = keys.flatMap(({ current, next }) => [current, next]);
  if (held.includes(inForce)) return null;
  // A home of layout 1 gets its first seal key when it is opened for writing.
  if (checker.seals === null && held.every((key) => key === undefined)) return null;
  const detail = 'the seal key of this home is not the one that its newest seal names';
  return { seq: checker.frontier.size + 1, class: 'seal', detail };
}

/** Every name is used by an entry or a claim: entries prove the names they use, so no row is left unproved. */
function checkDict(db: Database, checker: EntryChecker | undefined): Finding | null {
  const rows = db.prepare<[], number>('SELECT count(*) FROM dict').pluck().get() ?? 0;
  if (checker === undefined || rows === checker.frames.usedCount) return null;
  return { seq: 0, class: 'dict', detail: 'it holds a name that no entry uses' };
}

/** Lets other work in, reports progress and ends where the caller wants it to. */
async function turn(options: VerifyOptions, checked: number, total: number): Promise<void> {
  options.onProgress?.(checked, total);
  await new Promise((resolve) => {
    setImmediate(resolve);
  });
  options.signal?.throwIfAborted();
}
