import { isSublError } from '@subluminal/core-types';
import SqliteDatabase, { type Database } from 'better-sqlite3';
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
import type { WalkedRestore } from './seals.js';
import { Pages } from './pages.js';
import { checkNumbering } from './names.js';
import { checkFirstBase } from './base.js';
import { checkSingleRows } from './single-rows.js';
import { VERDICT_EXIT, type Finding, type FindingClass, type Verdict, type VerifyReport } from './report.js';

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

/** What is known so far; becomes the report. */
class Verification {
  genesis: Genesis | undefined;
  head: Head | undefined;
  memory: Memory | undefined;
  checker: EntryChecker | undefined;
  #verdict: Verdict = 'unchecked';
  #finding: Finding | null = null;
  readonly #reasons: string[] = [];

  found(finding: Finding): void {
    this.#finding = finding;
    this.#verdict = 'tampered';
  }

  /** Something could not be read: damage is a finding, anything else leaves the ledger unchecked. */
  failed(error: unknown): void {
    const seq = (this.checker?.frontier.size ?? -1) + 1;
    const detail = error instanceof Error ? error.message : String(error);
    if (isSublError(error, 'ledger_corrupt')) return this.found({ seq: 0, class: 'page', detail });
    const classes: Partial<Record<string, FindingClass>> = { SQLITE_CORRUPT: 'page', SQLITE_NOTADB: 'page' };
    const damaged =
      error instanceof SqliteDatabase.SqliteError ? classes[error.code.slice(0, 14)] : undefined;
    if (damaged !== undefined) return this.found({ seq, class: damaged, detail });
    this.#reasons.push(detail);
  }

  complete(live: boolean): void {
    const { checker, head, memory } = this;
    if (checker === undefined || head === undefined || memory === undefined) return;
    const { size } = checker.frontier;
    if (memory.missing !== null) this.#reasons.push(memory.missing);
    if (size === 0) this.#reasons.push('the ledger is empty');
    // Where a gateway is at work, the head with its two signatures stands in until the first seal is due.
    if (size > 0 && sealed(checker) === 0 && (!live || checker.seals === null))
      this.#reasons.push('nothing in it is sealed');
    const behind = size - head.checkpoint.size;
    if (behind > 0 && !live)
      this.#reasons.push(`${behind} entries lie behind the signed head, and no gateway runs`);
    this.#verdict = this.#reasons.length === 0 ? 'ok' : 'unproven';
  }

  report(): VerifyReport {
    const { checker } = this;
    const newest = this.memory?.lines.at(-1);
    return {
      verdict: this.#verdict,
      exit: VERDICT_EXIT[this.#verdict],
      finding: this.#finding,
      reasons: this.#reasons,
      ledgerId: this.genesis?.ledgerId ?? null,
      genesisFingerprint: this.genesis?.fingerprint ?? null,
      entries: checker?.frontier.size ?? 0,
      runs: checker?.runs.count ?? 0,
      blobs: checker?.blobs.count ?? 0,
      expired: checker?.expiry.expired ?? 0,
      open: checker?.open.size ?? 0,
      root: checker?.frontier.root() ?? null,
      headSize: this.head?.checkpoint.size ?? null,
      seals: checker?.seals?.count ?? 0,
      sealedSize: checker === undefined ? 0 : sealed(checker),
      notes: this.#notes(),
      memory: newest === undefined ? null : { size: newest.size, ts: newest.ts },
    };
  }

  #notes(): string[] {
    const { checker } = this;
    if (this.#verdict === 'tampered' || checker === undefined) return [];
    if (checker.seals === null)
      return ['the ledger is of layout 1: the next gateway that opens it makes it layout 2'];
    const behind = checker.seals.behind(checker.frontier.size);
    const restores = checker.seals.restores.map(restoreNote);
    if (behind === 0) return restores;
    const entries = behind === 1 ? '1 entry lies' : `${behind} entries lie`;
    return [
      ...restores,
      checker.seals.count === 0
        ? 'nothing is sealed yet: whoever holds the first seal key could rewrite every entry'
        : `${entries} behind the newest seal: whoever holds the next seal key could rewrite what lies there`,
    ];
  }
}

function sealed(checker: EntryChecker): number {
  return checker.seals?.sealedSize ?? 0;
}

/** Said for ever: what was given up is nowhere else. */
function restoreNote({ seq, ts, size, knownSize, reason }: WalkedRestore): string {
  const why = reason === '' ? '' : ` (${reason})`;
  const when = new Date(ts).toISOString();
  return `restored at ${when} from a backup of ${size} entries, entry ${seq}: ${knownSize - size} later entries were given up${why}`;
}
