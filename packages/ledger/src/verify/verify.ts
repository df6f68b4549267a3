import { nextTurn } from '@subluminal/core-types';
import type { SealKeysFound } from '../seal/key-file.js';
import { firstBase } from '../segments/base.js';
import { Checkpoints } from './checkpoints.js';
import { EntryChecker } from './entries.js';
import { Expiry } from './expiry.js';
import { openFiles, type OpenFiles } from './files.js';
import { checkFiles } from './integrity.js';
import { checkKeys, readKeys } from './keys.js';
import { checkMemory, checkRestores, memoryOf, readMemory, type Memory, type ReadMemory } from './memory.js';
import { OutsideWalk, type OutsideMemory } from './outside.js';
import { readPages } from './page-source.js';
import type { Page } from './page-text.js';
import type { Finding, VerifyReport } from './report.js';
import { inFile, placeAll, surveyFile, type PlacedFiles, type SurveyedFile } from './survey.js';
import { Verification } from './verification.js';
import { Walk } from './walk.js';

/** The memory to verify against, and how to follow the work. */
export interface VerifyOptions extends OutsideMemory {
  /** The memory outside of the ledger. Without one the verdict is at best `unproven`. */
  readonly headsLog?: string;
  /** Expected genesis fingerprint, 64 hex digits. */
  readonly pin?: string;
  /**
   * The file of the seal key, where the ledger is the one of this home: its newest seal has to name that key.
   */
  readonly sealKeyPath?: string;
  /** The ledger is a backup: the heads log may know more, and has to agree with all of it. */
  readonly backup?: boolean;
  /** True where a gateway is known to be writing: entries behind the signed head are then the normal case. */
  readonly live?: boolean;
  readonly onProgress?: (checked: number, total: number) => void;
  readonly signal?: AbortSignal;
}

/** After so many pages other work is let in, progress reported and an abort noticed. */
const PAGES_A_TURN = 64;

/**
 * Recomputes a ledger from nothing but its files (and the memory outside of them) and says whether anything
 * in it was changed, hidden, added or cut off: the closed ones in `segments` beside it, oldest first, and it,
 * as one chain. Each is read inside one transaction, so it works while a gateway writes, and goes on in
 * another file; it never throws for what it finds. Where older files are not there, the rest is verified, and
 * the verdict is at best `unproven`. Exit status: ok 0, unproven 6, tampered 4, unchecked 1.
 */
export async function verifyLedger(path: string, options: VerifyOptions = {}): Promise<VerifyReport> {
  const state = new Verification();
  let files: OpenFiles<Beside> | undefined;
  try {
    files = openFiles(path, (take) => ({
      remembered: readMemory(options.headsLog),
      keys: readKeys(take, options.sealKeyPath),
      later: readMemory(options.headsLog),
    }));
    await checkAll(files, options, state);
  } catch (error) {
    state.failed(error);
  } finally {
    files?.close();
  }
  return state.report();
}

/** Read at the moment of the newest file's snapshot; heads.log before and after it. */
interface Beside {
  readonly remembered: ReadMemory;
  readonly keys: readonly SealKeysFound[];
  readonly later: ReadMemory;
}

/** The checks in their order: each relies only on what those before it have proved. */
async function checkAll(
  files: OpenFiles<Beside>,
  options: VerifyOptions,
  state: Verification,
): Promise<void> {
  const newest = surveyFile(files.newest);
  if ('class' in newest) return state.found(newest);
  const { genesis, head } = newest;
  state.genesis = genesis;
  state.head = head;
  const { remembered, later } = files.beside;
  const size = newestSeq(newest);
  const memory = checkMemory(genesis, head, memoryOf(remembered, later, size), {
    pin: options.pin,
    older: options.backup === true ? size : undefined,
  });
  state.memory = memory;
  const misplaced = memory.finding ?? files.finding;
  if (misplaced !== null) return state.found(misplaced);
  const placed = placeAll(files.closed, newest);
  if ('class' in placed) return state.found(placed);
  state.missing = files.missing;

  const finding = await checkEntries(placed, memory, files.beside.keys, options, state);
  if (finding !== null) state.found(finding);
}

async function checkEntries(
  { closed, newest }: PlacedFiles,
  memory: Memory,
  keys: readonly SealKeysFound[],
  options: VerifyOptions,
  state: Verification,
): Promise<Finding | null> {
  const files = [...closed, newest];
  const { genesis, head } = newest;
  const base = state.missing === null ? firstBase(genesis) : (closed[0] ?? newest).base;
  const start = base.seq;
  state.start = start;
  const outside = new OutsideWalk(options, start);
  const checkpoints = new Checkpoints(genesis, memory.lines, outside);
  const expiry = new Expiry(
    files.map(({ db }) => db),
    start,
  );
  const checker = new EntryChecker({ genesis, base, expiry, checkpoints });
  state.checker = checker;
  const walk = new Walk(files, checker, checkpoints, { isWhole: state.missing === null });
  const ranges = files.map(({ db, base: { seq }, last }) => ({ db, first: seq + 1, last }));
  const pages = readPages(ranges, { ledgerId: genesis.ledgerId, before: base.leaf });
  const total = newest.last - start;
  const finding =
    (await checkPages(pages, walk, () => turn(options, checker.frontier.size - start, total))) ?? walk.end();
  if (finding !== null) return finding;
  options.onProgress?.(total, total);
  const { size } = checker.frontier;
  const unsettled =
    checkpoints.settle(size) ??
    checkRestores(memory, checker.seals, start) ??
    checker.seals.settle(size) ??
    walk.settle() ??
    expiry.settle() ??
    checkKeys(keys, checker);
  if (unsettled !== null) return unsettled;
  state.files = files.length;
  const faulty = checkFiles(files.map(({ db }) => db));
  if (faulty !== null) return inFile(faulty.finding, files[faulty.at] ?? newest);
  state.unseen = outside.unseen;
  const contradicted = outside.check(size);
  if (contradicted === null) state.complete({ checker, head, memory }, options.live === true);
  return contradicted;
}

async function checkPages(
  pages: Iterable<Page>,
  walk: Walk,
  turnOver: () => Promise<void>,
): Promise<Finding | null> {
  let count = 0;
  for (const page of pages) {
    const finding = walk.check(page);
    if (finding !== null) return finding;
    count += 1;
    if (count % PAGES_A_TURN === 0) await turnOver();
  }
  await turnOver();
  return null;
}

function newestSeq({ db, base }: SurveyedFile): number {
  return db.prepare<[], number | null>('SELECT max(seq) FROM entry').pluck().get() ?? base?.seq ?? 0;
}

/** Lets other work in, reports progress and ends where the caller wants it to. */
async function turn(options: VerifyOptions, checked: number, total: number): Promise<void> {
  options.onProgress?.(checked, total);
  await nextTurn();
  options.signal?.throwIfAborted();
}
