import { isSublError } from '@subluminal/core-types';
import SqliteDatabase, { type Database } from 'better-sqlite3';
import type { Genesis } from '../genesis/record.js';
import { readGenesis } from '../genesis/record.js';
import { readHead, selectHead, type Head, type HeadRow } from '../head/row.js';
import { schemaDifference } from '../schema/check.js';
import { openReadOnly } from '../schema/connection.js';
import { SCHEMA_HASH } from '../schema/ddl.js';
import { Checkpoints } from './checkpoints.js';
import { EntryChecker } from './entries.js';
import { checkIntegrity } from './integrity.js';
import { checkMemory, readMemory, type Memory, type ReadMemory } from './memory.js';
import { checkOutside, type OutsideMemory } from './outside.js';
import { Pages } from './pages.js';
import { checkNumbering } from './names.js';
import { checkSingleRows } from './single-rows.js';
import { VERDICT_EXIT, type Finding, type FindingClass, type Verdict, type VerifyReport } from './report.js';

/** What to verify against, and how to follow the work. */
export interface VerifyOptions extends OutsideMemory {
  /** The memory outside of the ledger. Without one the verdict is at best `unproven`. */
  readonly headsLog?: string;
  /** Expected genesis fingerprint, 64 hex digits. */
  readonly pin?: string;
  /** True where a gateway is known to be writing: entries behind the signed head are then the normal case. */
  readonly live?: boolean;
  readonly onProgress?: (checked: number, total: number) => void;
  readonly signal?: AbortSignal;
}

const PAGES_A_TURN = 32;

/**
 * Recomputes a ledger from nothing but its file (and the memory outside of it) and says whether anything in it was
 * changed, hidden, added or cut off. It reads inside one transaction, so it works while a gateway writes; it never
 * throws for what it finds. Exit status: ok 0, unproven 6, tampered 4, unchecked 1.
 */
export async function verifyLedger(path: string, options: VerifyOptions = {}): Promise<VerifyReport> {
  const state = new Verification();
  let db: Database | undefined;
  try {
    const remembered = readMemory(options.headsLog);
    db = openReadOnly(path);
    db.exec('BEGIN');
    await checkAll(db, remembered, options, state);
  } catch (error) {
    state.failed(error);
  } finally {
    db?.close();
  }
  return state.report();
}

/** The checks in their order: each relies only on what those before it have proved. */
async function checkAll(
  db: Database,
  remembered: ReadMemory,
  options: VerifyOptions,
  state: Verification,
): Promise<void> {
  const difference = schemaDifference(db);
  if (difference !== null) return state.found({ seq: 0, class: 'schema', detail: difference });

  const stray = checkSingleRows(db) ?? checkNumbering(db);
  if (stray !== null) return state.found(stray);
  const genesis = checkGenesis(db);
  if ('class' in genesis) return state.found(genesis);
  state.genesis = genesis;

  const row = selectHead(db);
  const head = readHead(row, genesis.ledgerId, genesis.publicKey);
  if (typeof head === 'string' || row === undefined) {
    return state.found({
      seq: 0,
      class: 'head',
      detail: typeof head === 'string' ? head : 'there is no head',
    });
  }
  state.head = head;

  const memory = checkMemory(genesis, head, remembered, options.pin);
  state.memory = memory;
  if (memory.finding !== null) return state.found(memory.finding);

  const finding =
    (await checkEntries(db, genesis, head, row, memory, options, state)) ??
    checkDict(db, state.checker) ??
    checkIntegrity(db) ??
    checkOutside(db, options);
  if (finding !== null) return state.found(finding);
  state.complete(options.live === true);
}

async function checkEntries(
  db: Database,
  genesis: Genesis,
  head: Head,
  row: HeadRow,
  memory: Memory,
  options: VerifyOptions,
  state: Verification,
): Promise<Finding | null> {
  const checkpoints = new Checkpoints(head, row, memory.lines);
  const checker = new EntryChecker(db, genesis, checkpoints);
  state.checker = checker;
  const range = db.prepare<[], { first: number | null; last: number | null }>(
    'SELECT (SELECT min(seq) FROM entry) AS first, (SELECT max(seq) FROM entry) AS last',
  );
  const { first, last: newest } = range.get() ?? { first: null, last: null };
  if (first !== null && first < 1)
    return { seq: first, class: 'stray', detail: 'it comes before the first entry' };
  const last = newest ?? 0;
  const pages = new Pages(db);
  let finding = checkpoints.next === 0 ? checkpoints.check(checker) : null;
  for (let page = 1; finding === null && checker.frontier.size < last; page += 1) {
    finding = pages.check(checker, last);
    if (page % PAGES_A_TURN === 0) await turn(options, checker.frontier.size, last);
  }
  if (finding !== null) return finding;
  options.onProgress?.(last, last);
  return (
    checkpoints.settle(last) ?? checker.blobs.settleAll() ?? checker.expiry.settle() ?? checker.seen.settle()
  );
}

function checkGenesis(db: Database): Genesis | Finding {
  const record = db.prepare<[], string>('SELECT record FROM genesis WHERE id = 1').pluck().get();
  const genesis = record === undefined ? undefined : readGenesis(record);
  if (genesis === undefined)
    return { seq: 0, class: 'genesis', detail: 'there is no readable genesis record' };
  if (genesis.schemaHash !== SCHEMA_HASH) {
    return { seq: 0, class: 'genesis', detail: 'the genesis record names another schema' };
  }
  return genesis;
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
      memory: newest === undefined ? null : { size: newest.size, ts: newest.ts },
    };
  }
}
