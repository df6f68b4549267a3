import { isSublError, readBase64 } from '@subluminal/core-types';
import { blobHash } from '../entry/blob.js';
import { NO_LEAF } from '../entry/format.js';
import { leafOf } from '../proof/tlog-proof.js';
import type { LedgerRow } from '../read/row.js';
import { RunEvents, rowOfBody, type BodyRow } from './events.js';
import { BundleFault } from './fault.js';
import type { BundleLine } from './file-reader.js';
import { readEntryLine, readPreviewLine, type RawEntry } from './form.js';
import { policiesOf } from './policies.js';

/** The other tellings of a run. */
export interface RunContents {
  readonly events: Iterator<BundleLine, undefined>;
  readonly previews: Iterator<BundleLine, undefined>;
}

/** What a bundle's run is walked with. */
export interface RunWalkOptions {
  readonly ledgerId: string;
  readonly runId: string;
  /** What the entries are held against; null where only their chain is walked. */
  readonly contents: RunContents | null;
  /** Up to which entry previews have expired, by an entry that is proved. */
  readonly expiredUpTo: number;
  /** Leaves that somebody was given, by entry. */
  readonly receipts: ReadonlyMap<number, string>;
}

/**
 * Walks the entries of a run from its first on: each leaf is recomputed, each entry names the one before it,
 * and what the events and previews say is what it says. That the last leaf is one of the ledger's is for the
 * caller to prove; then nothing before it can have been left out, put in or changed.
 */
export class RunWalk {
  readonly #options: RunWalkOptions;
  readonly #rendering = new RunEvents();
  readonly policies = new Set<string>();
  /** Receipts that named an entry of the run. */
  receipts = 0;
  entries = 0;
  events = 0;
  previews = 0;
  /** Previews that have expired, and that were never kept. */
  expired = 0;
  dropped = 0;
  ended = false;
  leaf = NO_LEAF;
  seq = 0;
  #preview: BundleLine | undefined;

  constructor(options: RunWalkOptions) {
    this.#options = options;
    this.#preview = options.contents?.previews.next().value;
  }

  /** The next entry. @throws BundleFault. */
  take({ text, number }: BundleLine): void {
    const entry = readEntryLine(text);
    if (entry === undefined)
      throw new BundleFault('chain', `line ${number} of the entries is no entry`, number);
    if (this.ended)
      throw new BundleFault('chain', `entry ${entry.seq} follows the end of the run`, entry.seq);
    if (entry.seq <= this.seq)
      throw new BundleFault('chain', `entry ${entry.seq} is out of its order`, entry.seq);
    const leaf = leafOf({ ledgerId: this.#options.ledgerId, ...entry });
    const read = this.#read(entry, leaf);
    const { row } = read;
    const given = this.#options.receipts.get(entry.seq);
    if (given !== undefined && given !== leaf)
      throw new BundleFault('receipt', `entry ${entry.seq} is not the one that a receipt names`, entry.seq);
    this.receipts += given === undefined ? 0 : 1;
    this.#checkPlace(read);
    for (const hash of policiesOf(row)) this.policies.add(hash);
    const { contents } = this.#options;
    if (contents !== null) this.#checkEvent(row, this.#previewsOf(row, contents), contents);
    this.leaf = leaf;
    this.seq = entry.seq;
    this.entries += 1;
    this.ended = row.type === 'run_end';
  }

  /** After the last entry. @throws BundleFault. */
  end(): void {
    if (this.#preview !== undefined)
      throw new BundleFault('preview', `line ${this.#preview.number} of the previews belongs to no entry`);
    const more = this.#options.contents?.events.next().value;
    if (more !== undefined)
      throw new BundleFault('events', `line ${more.number} of the events is no entry’s`, more.number);
  }

  #read({ seq, body }: RawEntry, leaf: string): BodyRow {
    try {
      const read = rowOfBody(seq, leaf, body);
      if (read !== undefined) return read;
    } catch (error) {
      // Whatever keeps it from being read: no ledger holds such a body.
      if (!isSublError(error)) throw error;
    }
    throw new BundleFault('chain', `entry ${seq} is not what a ledger holds`, seq);
  }

  #checkPlace({ row, rp }: BodyRow): void {
    const { seq } = row;
    const { runId } = this.#options;
    if (row.runId !== runId) throw new BundleFault('chain', `entry ${seq} belongs to another run`, seq);
    const isFirst = this.entries === 0;
    if (row.runIndex !== this.entries || isFirst !== (row.type === 'run_start'))
      throw new BundleFault('chain', `an entry of the run is missing before entry ${seq}`, seq);
    if (rp !== this.leaf)
      throw new BundleFault('chain', `entry ${seq} does not follow the entry before it`, seq);
  }

  #previewsOf(row: LedgerRow, { previews }: RunContents): ReadonlyMap<string, string> {
    const kept = new Map<string, string>();
    for (const [slot, { hash, len, state }] of Object.entries(row.blobs)) {
      const line = this.#preview;
      const preview = line === undefined ? undefined : readPreviewLine(line.text);
      if (line !== undefined && preview === undefined)
        throw new BundleFault('preview', `line ${line.number} of the previews is no preview`, line.number);
      if (preview?.seq !== row.seq || preview.slot !== slot) {
        this.#countMissing(row.seq, state === 'present');
        continue;
      }
      const salt = readBase64(preview.salt, 16);
      const data = Buffer.from(preview.text);
      if (salt === undefined || data.length !== len || blobHash(salt, data) !== hash)
        throw new BundleFault(
          'preview',
          `a preview is not the one that entry ${row.seq} commits to`,
          row.seq,
        );
      kept.set(slot, preview.text);
      this.previews += 1;
      this.#preview = previews.next().value;
    }
    return kept;
  }

  #countMissing(seq: number, wasKept: boolean): void {
    if (!wasKept) this.dropped += 1;
    else if (seq <= this.#options.expiredUpTo) this.expired += 1;
    else
      throw new BundleFault(
        'preview',
        `a preview of entry ${seq} is missing, and nothing says that it expired`,
        seq,
      );
  }

  #checkEvent(row: LedgerRow, previews: ReadonlyMap<string, string>, { events }: RunContents): void {
    const line = this.#rendering.line(row, previews);
    if (line === null) return;
    const given = events.next().value;
    if (given?.text !== line)
      throw new BundleFault('events', `the events do not say what entry ${row.seq} says`, row.seq);
    this.events += 1;
  }
}
