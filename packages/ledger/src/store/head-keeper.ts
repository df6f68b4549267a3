import type { Database, Statement } from 'better-sqlite3';
import type { KeyObject } from 'node:crypto';
import type { HeadsLogWriter } from '../head/heads-log.js';
import { CheckpointSigner } from '../head/note.js';
import { HEAD_ENTRIES } from '../head/row.js';
import type { Frontier } from '../merkle/frontier.js';
import type { Settle } from '../seal/sealer.js';

const LOG_ENTRIES = 1024;

export interface HeadKeeperStart {
  readonly db: Database;
  readonly ledgerId: string;
  /** The log key. */
  readonly privateKey: KeyObject;
  /** The seal key in force. */
  readonly sealKey: () => KeyObject;
  /** The tree over all durable entries. */
  readonly frontier: Frontier;
  readonly headSize: number;
  /** The tree at the last line of heads.log, or at the stored mark. */
  readonly mark: Frontier;
  /** An older mark than `mark`, for as long as nothing follows the latter. */
  readonly olderMark: Frontier;
  readonly headsLog: HeadsLogWriter | undefined;
  /** Given where COMMIT alone does not make a commit survive power loss. */
  readonly settle: Settle | undefined;
}

/** Keeps the tree, the signed head in the ledger and the lines of heads.log outside of it. */
export class HeadKeeper {
  readonly #start: HeadKeeperStart;
  readonly #signer: CheckpointSigner;
  readonly #frontier: Frontier;
  readonly #update: Statement<[string, Buffer, string, number, Buffer]>;
  readonly #tile: (level: number, index: number, hash: string) => void;
  #size: number;
  #mark: Frontier;
  #olderMark: Frontier;
  #due: 'no' | 'now' | 'aside' = 'no';
  /** Size of the line that is being written, of the last one otherwise. */
  #lineSize: number;

  constructor(start: HeadKeeperStart) {
    this.#start = start;
    this.#signer = new CheckpointSigner(start.ledgerId);
    this.#frontier = start.frontier;
    this.#size = start.headSize;
    this.#mark = start.mark;
    this.#lineSize = start.mark.size;
    this.#olderMark = start.olderMark;
    this.#update = start.db.prepare(
      'UPDATE head SET note=?, frontier=?, open=?, mark_size=?, mark_frontier=? WHERE id=1',
    );
    const insertTile = start.db.prepare<[number, number, Buffer]>(
      'INSERT INTO tile(lvl,idx,hash) VALUES(?,?,?)',
    );
    this.#tile = (level, index, hash) => void insertTile.run(level, index, Buffer.from(hash, 'hex'));
  }

  /** Size of the last signed head. */
  get size(): number {
    return this.#size;
  }

  /** Root over all entries so far. */
  get root(): string {
    return this.#frontier.root();
  }

  /** Inside the transaction: adds a leaf, and stores the tiles that it completes. */
  push(leaf: string): void {
    this.#frontier.push(leaf, this.#tile);
  }

  /**
   * Inside the transaction: writes a head if enough entries lie behind the last one, and with every seal, so
   * that none stays signed by a key that is gone. A run's end is remembered outside before anybody hears of
   * it, and so is the first commit of a ledger: until then nothing outside proves that it holds anything.
   * Every so many entries a line follows beside later commits. `isQuiet`: what was under way has ended with
   * this commit, so a head in it spares the one that would follow alone.
   */
  beforeCommit(
    open: ReadonlySet<number>,
    {
      runEnded,
      sealed,
      isQuiet,
    }: { readonly runEnded: boolean; readonly sealed: boolean; readonly isQuiet: boolean },
  ): void {
    const { size } = this.#frontier;
    const wantsLine = size - this.#lineSize >= LOG_ENTRIES;
    this.#due = runEnded || this.#lineSize === 0 ? 'now' : wantsLine ? 'aside' : 'no';
    const wantsHead = size - this.#size >= HEAD_ENTRIES || sealed || isQuiet || this.#due !== 'no';
    if (size > this.#size && wantsHead) this.write(open);
  }

  /** Whether a line is due after the commit, and whether its acknowledgement waits for it. */
  get due(): 'no' | 'now' | 'aside' {
    return this.#due;
  }

  /** Whether `more` entries on top would make another line due. */
  isDueWith(more: number): boolean {
    return this.#frontier.size + more - this.#lineSize >= LOG_ENTRIES;
  }

  /**
   * After the transaction is durable: takes the line that is due, and gives what writes it beside the commits
   * that follow. Until that is done the mark stays where it was: no head must rest on a line that a crash may
   * take.
   */
  takeLine(nowMs: number): () => Promise<void> {
    const { headsLog, settle } = this.#start;
    const mark = this.#frontier.clone();
    this.#lineSize = mark.size;
    return async () => {
      if (headsLog !== undefined) {
        await settle?.aside();
        await headsLog.appendAside({ size: mark.size, root: mark.root(), ts: nowMs, restored: false });
      }
      this.#olderMark = this.#mark;
      this.#mark = mark;
    };
  }

  /** Inside a transaction: signs and writes the head. */
  write(open: ReadonlySet<number>): void {
    const { privateKey, sealKey } = this.#start;
    const { size } = this.#frontier;
    const note = this.#signer.sign({ size, root: this.root }, { log: privateKey, seal: sealKey() });
    // A start re-hashes from the mark to the tip; with a mark at the tip it would trust the last leaf unseen.
    const mark = this.#mark.size < size ? this.#mark : this.#olderMark;
    const list = `[${[...open].join(',')}]`;
    this.#update.run(note, this.#frontier.toBytes(), list, mark.size, mark.toBytes());
    this.#size = size;
  }

  /**
   * Appends the present size and root to heads.log, unless its last line says so already. A store does so
   * before it accepts any entry: while heads.log cannot be written, none follows what it does not know.
   */
  remember(nowMs: number): void {
    if (this.#frontier.size !== this.#mark.size) this.restate(nowMs);
  }

  /** The same whatever was remembered: for a log whose earlier lines are gone. */
  restate(nowMs: number): void {
    const { size } = this.#frontier;
    if (this.#start.headsLog !== undefined) this.#start.settle?.now();
    this.#start.headsLog?.append({ size, root: this.#frontier.root(), ts: nowMs, restored: false });
    if (size !== this.#mark.size) this.#olderMark = this.#mark;
    this.#mark = this.#frontier.clone();
    this.#lineSize = size;
  }

  close(): void {
    this.#start.headsLog?.close();
  }
}
