import SqliteDatabase, { type Database } from 'better-sqlite3';
import { copyFileSync, existsSync, linkSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Ledger, OpenLedgerOptions } from '../../src/index.js';
import {
  action,
  attack,
  beginCall,
  endCall,
  runEnd,
  runStart,
  openHere,
  Scratch,
  SIGNING_KEY,
} from '../scratch.js';

/** Where an attack strikes: the first entry, one in the middle, the one at a seal's boundary, the last. */
export const POSITIONS = ['first', 'middle', 'boundary', 'last'] as const;
export type Position = (typeof POSITIONS)[number];

/** The same in a ledger of several files: on both sides of where one of them ends, and around that. */
export const FILE_POSITIONS = ['first', 'inside', 'closing', 'opening', 'last'] as const;
export type FilePosition = (typeof FILE_POSITIONS)[number];

const RUNS = 56;
const CALLS_A_RUN = 60;
const AT_ONCE = 12;

/** `segmentBytes`: it is a ledger of several files. */
type BookOptions = Partial<OpenLedgerOptions> & { readonly runs?: number };

/** One ledger of more than 10,000 entries that every attack gets a copy of. */
export class Book {
  readonly scratch: Scratch;
  readonly size: number;
  /** `closing` and `opening` where there are several files. */
  readonly at: Readonly<Record<Position | FilePosition, number>>;
  /** Everything as it was when half of it was written. */
  readonly older: Copy;
  #copies = 0;

  private constructor(scratch: Scratch, older: Copy) {
    this.scratch = scratch;
    this.older = older;
    const whole = this.copy();
    const [size] = edgesOf(whole.path);
    const half = whole.files.find((path) => edgesOf(path)[0] >= size >> 1) ?? whole.path;
    const [closing, inside, boundary] = edgesOf(half, half === whole.path ? size >> 1 : undefined);
    whole.remove();
    this.size = size;
    this.at = { first: 1, middle: inside, inside, boundary, closing, opening: closing + 1, last: size };
  }

  static async write({ runs = RUNS, ...options }: BookOptions = {}): Promise<Book> {
    const scratch = new Scratch();
    scratch.create();
    const first = await scratch.open(options);
    if (options.segmentBytes !== undefined) await beginWhatStaysOpen(first);
    await fillRuns(first, 1, runs / 2);
    await first.close();
    const older = Copy.of(scratch, join(scratch.folder, 'older'));
    const ledger = await scratch.open(options);
    await fillRuns(ledger, runs / 2 + 1, runs);
    await ledger.close();
    if (options.segmentBytes !== undefined) await fillNewest(scratch, runs);
    return new Book(scratch, older);
  }

  /** The whole folder anew: the ledger, its seal key, and the memory outside of it. */
  copy(): Copy {
    this.#copies += 1;
    return Copy.of(this.scratch, join(this.scratch.folder, `copy-${this.#copies}`));
  }

  remove(): void {
    this.scratch.remove();
  }
}

/** An attacker's ground: a folder with everything that belongs to a ledger. */
export class Copy {
  readonly folder: string;
  readonly path: string;
  readonly sealKey: string;
  readonly headsLog: string;
  /** The file that `edit` works on. */
  #aim: string | undefined;

  private constructor(folder: string) {
    this.folder = folder;
    this.path = join(folder, 'ledger.db');
    this.sealKey = join(folder, 'seal');
    this.headsLog = join(folder, 'state', 'heads.log');
  }

  /** Copies a ledger with all that belongs to it, as it is at this moment. */
  static of(from: Pick<Copy, 'path' | 'sealKey' | 'headsLog'>, folder: string): Copy {
    const copy = new Copy(folder);
    mkdirSync(join(folder, 'state'), { recursive: true });
    for (const end of ['', '-wal', '-shm']) copyIfThere(from.path + end, copy.path + end);
    copySegments(from.path, copy.path);
    for (const end of ['', '.next']) copyIfThere(from.sealKey + end, copy.sealKey + end);
    copyIfThere(from.headsLog, copy.headsLog);
    return copy;
  }

  /** The files of the ledger, oldest first. */
  get files(): readonly string[] {
    const folder = join(this.folder, 'segments');
    const closed = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.db')) : [];
    const number = (name: string): number => Number(name.split('-')[0]);
    const oldestFirst = closed.toSorted((a, b) => number(a) - number(b));
    return [...oldestFirst.map((name) => join(folder, name)), this.path];
  }

  /** Another copy of it. */
  again(folder: string): Copy {
    return Copy.of(this, folder);
  }

  /** From now on `edit` works on the file that holds an entry. */
  aim(seq: number): void {
    this.#aim = this.files.find((path) => {
      const [, , last] = basename(path, '.db').split('-').map(Number);
      return last === undefined || seq <= last;
    });
  }

  /** Edits the database with nothing in the way: the newest file, unless told otherwise. */
  edit(change: (db: Database) => void): void {
    attack(this.#aim ?? this.path, change);
  }

  /** Opens it as the gateway does. */
  open(options: Partial<OpenLedgerOptions> = {}, openAs = openHere): Promise<Ledger> {
    let now = 1_770_000_000_000;
    return openAs({
      path: this.path,
      signingKey: { privateKey: SIGNING_KEY },
      sealKeyPath: this.sealKey,
      headsLog: this.headsLog,
      durability: 'process',
      clock: () => (now += 1),
      ...options,
    });
  }

  /** Goes on writing, and is what a crash leaves of that. */
  async crashed(fill: (ledger: Ledger) => Promise<void>): Promise<Copy> {
    const ledger = await this.open();
    try {
      await fill(ledger);
      return Copy.of(this, join(this.folder, 'crashed'));
    } finally {
      await ledger.close();
    }
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** A file that has two names, because its rotation was cut off between them, has two in the copy as well. */
function copySegments(from: string, to: string): void {
  const [old, folder] = [join(dirname(from), 'segments'), join(dirname(to), 'segments')];
  if (!existsSync(old)) return;
  mkdirSync(folder);
  const newest = statSync(from).ino;
  for (const name of readdirSync(old)) {
    if (statSync(join(old, name)).ino === newest) linkSync(to, join(folder, name));
    else copyFileSync(join(old, name), join(folder, name));
  }
}

function copyIfThere(from: string, to: string): void {
  if (existsSync(from)) copyFileSync(from, to);
}

/**
 * Of a file: its last entry, the first call's end from `from` or its middle on, and the boundary behind that.
 */
function edgesOf(path: string, from?: number): readonly [number, number, number] {
  const db = new SqliteDatabase(path, { readonly: true });
  try {
    const find = (text: string): number => db.prepare<[], number>(text).pluck().get() ?? 0;
    const middle = from ?? find('SELECT (min(seq) + max(seq)) / 2 FROM entry');
    const inside = find(`SELECT min(seq) FROM entry WHERE kind = 4 AND seq >= ${middle}`);
    return [find('SELECT max(seq) FROM entry'), inside, boundaryOf(db, inside)];
  } finally {
    db.close();
  }
}

/**
 * The seal nearest behind the middle; where there are none, the end of a run, at which heads.log got a line.
 */
function boundaryOf(db: Database, middle: number): number {
  const after = (kind: number): number | null | undefined =>
    db
      .prepare<[number, number], number | null>('SELECT min(seq) FROM entry WHERE kind = ? AND seq > ?')
      .pluck()
      .get(kind, middle);
  const seal = after(50) ?? after(5);
  if (seal === null || seal === undefined) throw new Error('the book has no boundary');
  return seal;
}

/** The newest file holds something of everything, as the others do, and is not followed by another. */
async function fillNewest(scratch: Scratch, runs: number): Promise<void> {
  const ledger = await scratch.open();
  await fillRuns(ledger, runs + 1, runs + 3);
  await ledger.close();
}

/** Something of each kind that goes on from file to file, and is never over. */
async function beginWhatStaysOpen(ledger: Ledger): Promise<void> {
  await ledger.append({ entries: [runStart('long')] });
  await ledger.append(beginCall('long', 'call-long'));
  await ledger.append({ entries: [{ type: 'upstream_begin', ts: 1, runId: 'long', data: {} }] });
  await ledger.append({ entries: [{ type: 'approval_granted', ts: 1, runId: null, data: {} }] });
}

async function fillRuns(ledger: Ledger, first: number, last: number): Promise<void> {
  await ledger.append({ entries: [{ type: 'gateway_start', ts: 1, runId: null, data: { pid: 1 } }] });
  for (let run = first; run <= last; run += 1) {
    await fillRun(ledger, `run-${String(run).padStart(3, '0')}`);
  }
}

/** A run with calls, previews and an action, from its start to its end. */
export async function fillRun(ledger: Ledger, runId: string): Promise<void> {
  await ledger.append({ entries: [runStart(runId)] });
  for (let at = 0; at < CALLS_A_RUN; at += AT_ONCE) {
    const ids = Array.from({ length: AT_ONCE }, (_, n) => `call-${runId}-${at + n}`);
    await Promise.all(ids.map((id) => makeCall(ledger, runId, id)));
  }
  const pending = await ledger.append({
    entries: [action('action_pending', runId, 'pending')],
    seen: { runId, id: `request-${runId}` },
  });
  if (!pending.ok) throw new Error('the action was refused');
  await ledger.append({
    entries: [{ ...action('action_result', runId, 'success'), ref: pending.entries[0]?.seq ?? 0 }],
  });
  await ledger.append({ entries: [runEnd(runId)] });
}

async function makeCall(ledger: Ledger, runId: string, callId: string): Promise<void> {
  const begun = await ledger.append(beginCall(runId, callId));
  if (!begun.ok) throw new Error(`${callId} was refused`);
  await ledger.append({ entries: [endCall(runId, callId, begun.entries[1]?.seq ?? 0)] });
}
