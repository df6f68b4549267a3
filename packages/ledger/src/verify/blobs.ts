import type { Database, Statement } from 'better-sqlite3';
import { blobHash, type BlobCommitment } from '../entry/blob.js';
import { BLOBS_AN_ENTRY } from '../schema/ddl.js';
import type { Expiry } from './expiry.js';
import type { Finding } from './report.js';

interface BlobRow {
  readonly seq: number;
  readonly slot: string;
  readonly salt: Buffer;
  readonly data: Buffer;
}

/** Holds the blob table of a file against the commitments in the bodies, a page at a time. */
export class Blobs {
  readonly #db: Database;
  readonly #between: Statement<[number, number], BlobRow>;
  readonly #first: Statement<[number], number | null>;
  /** Before the blob of this entry there is none that was not settled. */
  #next = 0;
  readonly #expected = new Map<string, BlobCommitment>();
  readonly #expiry: Expiry;
  readonly #before: number;
  #count = 0;

  /** `before`: blobs of older files. */
  constructor(db: Database, expiry: Expiry, before: number) {
    this.#expiry = expiry;
    this.#db = db;
    this.#before = before;
    this.#between = db.prepare(
      `SELECT seq, slot, salt, data FROM blob
      WHERE id >= ?*${BLOBS_AN_ENTRY} AND id < (?+1)*${BLOBS_AN_ENTRY} ORDER BY id`,
    );
    this.#first = db
      .prepare<[number], number | null>(
        `SELECT min(id)/${BLOBS_AN_ENTRY} FROM blob WHERE id >= ?*${BLOBS_AN_ENTRY}`,
      )
      .pluck();
  }

  /** Blobs found so far, in all files. */
  get count(): number {
    return this.#before + this.#count;
  }

  /** Notes what an entry of the page committed to. */
  expect(seq: number, commitments: Readonly<Record<string, BlobCommitment>>): void {
    for (const [slot, commitment] of Object.entries(commitments)) {
      if (commitment.state !== 'present') continue;
      this.#expected.set(`${seq} ${slot}`, commitment);
      this.#expiry.count(seq);
    }
  }

  /** After the last page of the file: no blob lies outside of the entries. */
  settleAll(): Finding | null {
    const rows = this.#db.prepare<[], number>('SELECT count(*) FROM blob').pluck().get();
    return rows === this.#count ? null : blob(0, 'there are blobs that belong to no entry');
  }

  /** Settles the page `first` … `last`. */
  settle(first: number, last: number): Finding | null {
    if (this.#next < first) this.#next = this.#first.get(first) ?? Number.POSITIVE_INFINITY;
    if (this.#expected.size === 0 && this.#next > last) return null;
    for (const row of this.#between.iterate(first, last)) {
      const key = `${row.seq} ${row.slot}`;
      const commitment = this.#expected.get(key);
      if (commitment === undefined)
        return blob(row.seq, `\`${row.slot}\` is stored though the entry does not say so`);
      if (!Buffer.isBuffer(row.data) || !Buffer.isBuffer(row.salt)) {
        return { seq: row.seq, class: 'type', detail: `\`${row.slot}\` is stored as another type` };
      }
      if (row.data.length !== commitment.len || blobHash(row.salt, row.data) !== commitment.hash) {
        return blob(row.seq, `\`${row.slot}\` is not what the entry committed to`);
      }
      this.#expected.delete(key);
      this.#count += 1;
    }
    for (const missing of this.#expected.keys()) {
      const [seq = '0', slot = ''] = missing.split(' ');
      if (!this.#expiry.covers(Number(seq)))
        return blob(
          Number(seq),
          `\`${slot}\` is missing, and no entry says that it was dropped or has expired`,
        );
    }
    this.#expected.clear();
    return null;
  }
}

function blob(seq: number, detail: string): Finding {
  return { seq, class: 'blob', detail };
}
