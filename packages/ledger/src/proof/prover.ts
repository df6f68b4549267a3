import {
  renderVerifierKey,
  SublError,
  verifierKey,
  type VerifierKey,
  type CheckpointText,
  renderGrowth,
  verifyConsistency,
  verifyInclusion,
} from '@subluminal/core-types';
import type { Database } from 'better-sqlite3';
import type { Checkpoint } from '../head/note.js';
import { corrupt } from '../head/row.js';
import { leavesOf, MerkleTree, type TreeFile } from '../merkle/tree.js';
import { openLogNote } from '../note/open-log-note.js';
import type { Genesis } from '../genesis/record.js';
import type { Receipt } from '../verify/outside.js';
import { LedgerFiles } from '../read/files.js';
import type { Base } from '../segments/base.js';
import { leafOf, renderTlogProof, type ProvenEntry } from './tlog-proof.js';

/** A file of the ledger, as proofs read it. */
interface OneOfThem extends TreeFile {
  readonly db: Database;
  readonly base: Base;
}

/** The signed head of a ledger. */
export interface SignedHead extends CheckpointText {
  readonly note: string;
}

/**
 * Makes proofs from a ledger's files, of any size, in milliseconds; works while a gateway writes. It verifies
 * what it hands out: a ledger that cannot prove what its signed head says is `ledger_corrupt`. Where an older
 * file is not there it still proves what does not need it, and else throws `not_found`, which names the file.
 */
export class LedgerProver {
  readonly genesis: Genesis;
  /** The key that a reader of proofs pins. */
  readonly logKey: VerifierKey;
  readonly #path: string;
  readonly #files: LedgerFiles<OneOfThem>;
  #newest: { readonly db: Database; readonly tree: MerkleTree } | undefined;

  /** Throws `ledger_missing`, `ledger_unsafe`, `ledger_corrupt`. */
  constructor(path: string) {
    this.#path = path;
    this.#files = new LedgerFiles(path, ({ db, base }) => ({ db, base, leaves: leavesOf(db) }));
    this.genesis = this.#files.genesis;
    this.logKey = verifierKey(`subluminal/${this.genesis.ledgerId}`, 'log', this.genesis.publicKey);
  }

  /** `logKey` as one word. */
  get logKeyText(): string {
    return renderVerifierKey(this.logKey);
  }

  /** The newest signed head. Throws `ledger_corrupt` where its signature does not verify. */
  head(): SignedHead {
    return this.#inSnapshot(() => this.#head());
  }

  /**
   * The `.tlog-proof` of one entry under the signed head.
   *
   * @throws SublError `not_found` for an entry that is not there or lies behind the head, `ledger_corrupt`.
   */
  entry(seq: number): string {
    return this.#inSnapshot(() => {
      const head = this.#head();
      const entry = this.#entry(seq);
      if (seq > head.size) throw this.#behind(`entry ${seq}`, head);
      const proof = this.#tree.inclusion(seq - 1, head.size);
      const { size, root } = head;
      if (!verifyInclusion({ index: seq - 1, size, leaf: leafOf(entry), root, proof })) {
        throw corrupt(this.#path, `entry ${seq} does not stand under the signed head`);
      }
      return renderTlogProof(entry, proof, head.note);
    });
  }

  /** Several questions about one and the same head. */
  atOnce<T>(ask: () => T): T {
    return this.#inSnapshot(ask);
  }

  /**
   * The proof that the signed head continues an older checkpoint of this ledger, as an `add-checkpoint`
   * request.
   *
   * @throws SublError `invalid_request` where `olderNote` is no checkpoint that this ledger signed,
   * `not_found` where it is newer than the head, `ledger_corrupt` where the ledger contradicts it: it was put
   * back, or has a fork.
   */
  growth(olderNote: string): string {
    return this.#inSnapshot(() => {
      const older = openLogNote(olderNote, this.logKey);
      if (typeof older === 'string') {
        throw new SublError('invalid_request', `that is no checkpoint of this ledger: ${older}`, {
          help: 'name what `sub audit checkpoint` printed for it, or what an anchor of it holds',
        });
      }
      this.#contradicts(older);
      return this.#growth(older.size, older.root, this.#head());
    });
  }

  /**
   * The same from a size alone to one of its heads, as a witness is sent it. Throws `ledger_corrupt`,
   * `not_found`.
   */
  growthFrom(size: number, head: SignedHead): string {
    return this.#inSnapshot(() => {
      if (size > this.#tree.size) {
        throw corrupt(this.#path, `it has ${this.#tree.size} entries, and was seen with ${size}`);
      }
      return this.#growth(size, this.#tree.root(size), head);
    });
  }

  /**
   * Throws `ledger_corrupt` where an entry does not have the leaf that a receipt names, `not_found` where its
   * file is not there.
   */
  assertLeaf({ seq, leaf }: Receipt): void {
    const [found] = this.#files.holding(seq)?.leaves(seq, seq) ?? [];
    if (found?.toString('hex') === leaf) return;
    throw corrupt(this.#path, `entry ${seq} is not the one that the audit reference names`);
  }

  /**
   * Throws `not_found` where there are not as many entries, `ledger_corrupt` where they have another root.
   */
  assertRoot({ size, root }: Checkpoint): void {
    this.#inSnapshot(() => {
      if (this.#tree.root(size) === root) return;
      throw corrupt(this.#path, `its first ${size} entries have another root`);
    });
  }

  /**
   * Lets go of the files until the next question: the ledger can go on in another only while nobody has this
   * one open.
   */
  release(): void {
    this.#newest = undefined;
    this.#files.release();
  }

  close(): void {
    this.release();
    this.#files.close();
  }

  /** The tree over all files, its tiles read from the newest. */
  get #tree(): MerkleTree {
    const { db } = this.#files.present;
    if (this.#newest?.db === db) return this.#newest.tree;
    const files = this.#files;
    const tree = new MerkleTree(db, {
      holding: (seq) => (files.holds(seq) ? files.holding(seq) : undefined),
      after: (seq) => files.after(seq),
      refuse: (seq) => {
        files.holding(seq);
        throw corrupt(this.#path, `its files do not fit each other at entry ${seq}`);
      },
    });
    this.#newest = { db, tree };
    return tree;
  }

  #growth(from: number, oldRoot: string, head: SignedHead): string {
    if (from > head.size) throw this.#behind(`a checkpoint of ${from} entries`, head);
    const proof = this.#tree.consistency(from, head.size);
    if (!verifyConsistency({ from, to: head.size, oldRoot, newRoot: head.root, proof })) {
      throw corrupt(this.#path, `its signed head does not continue its first ${from} entries`);
    }
    return renderGrowth({ from, proof, note: head.note });
  }

  /**
   * Throws where the ledger is shorter than a checkpoint that it signed, or has another root at that size.
   */
  #contradicts(older: CheckpointText): void {
    const { size } = this.#tree;
    if (older.size > size) {
      throw corrupt(this.#path, `it has ${size} entries, and signed a checkpoint of ${older.size}`);
    }
    if (this.#tree.root(older.size) !== older.root) {
      throw corrupt(this.#path, `it signed a checkpoint of ${older.size} entries that were others: a fork`);
    }
  }

  #head(): SignedHead {
    const { db } = this.#files.present;
    const note = db.prepare<[], string>('SELECT note AS signed FROM head WHERE id = 1').pluck().get() ?? '';
    const checkpoint = openLogNote(note, this.logKey);
    if (typeof checkpoint === 'string') throw corrupt(this.#path, `the signed head: ${checkpoint}`);
    return { ...checkpoint, note };
  }

  #entry(seq: number): ProvenEntry {
    const file = this.#files.holding(seq);
    const body = file?.db
      .prepare<[number], string>('SELECT body AS text FROM entry WHERE seq = ?')
      .pluck()
      .get(seq);
    if (file === undefined || body === undefined)
      throw new SublError('not_found', `there is no entry \`${seq}\``, {
        help: `the newest that is signed is \`${this.#head().size}\``,
      });
    const [before] = seq - 1 === file.base.seq ? [] : file.leaves(seq - 1, seq - 1);
    const prev = before?.toString('hex') ?? file.base.leaf;
    return { ledgerId: this.genesis.ledgerId, seq, prev, body };
  }

  #behind(what: string, head: SignedHead): SublError {
    return new SublError('not_found', `${what} lies behind the signed head of ${head.size} entries`, {
      help: 'start the gateway: it signs a head over all that is recorded',
    });
  }

  #inSnapshot<T>(work: () => T): T {
    const { db } = this.#files.present;
    // One without a write-ahead log is held by a transaction for as long as it is open.
    if (db.inTransaction) return work();
    db.exec('BEGIN');
    try {
      return work();
    } finally {
      if (db.open) db.exec('COMMIT');
    }
  }
}
