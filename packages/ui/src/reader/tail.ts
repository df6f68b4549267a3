import type { LedgerReader, LedgerRow } from '@subluminal/ledger';
import {
  type CallRecord,
  callsOfQuestions,
  endIn,
  objectOf,
  opensRecord,
  type PreviewSource,
  previewsBetween,
  questionIdOf,
  recordAround,
  recordOf,
} from '@subluminal/records';

/** Records that go on, which are kept in mind; one of more is read again when its end comes. */
const MAX_OPEN = 8192;
const PAGE = 1000;

const GOES_ON: ReadonlySet<string> = new Set(['tool_call_decision', 'tool_call_end', 'action_result']);

/** Records that entries belong to, and the last of these entries. */
export interface Piece {
  readonly upto: number;
  readonly records: readonly CallRecord[];
  /** The entries themselves. */
  readonly rows: readonly LedgerRow[];
}

/** Puts records together from entries as they follow each other, with few questions to the ledger. */
export class Tail {
  readonly #reader: LedgerReader;
  /** By the entry that the next one of the record refers to. */
  readonly #open = new Map<number, CallRecord>();

  constructor(reader: LedgerReader) {
    this.#reader = reader;
  }

  /**
   * The records that the entries from `from` on belong to, at most `most` entries and none behind `head`,
   * each as it is with the last of them. `from` lies not behind `head`.
   */
  read(from: number, head: number, most: number): Piece {
    const limit = Math.min(PAGE, most, head - from + 1);
    const { rows } = this.#reader.tailFrom(from, limit);
    const upto = rows.at(-1)?.seq ?? head;
    const previews = previewsBetween(this.#reader, from, upto);
    const touched = new Map<number, CallRecord>();
    for (const row of rows) {
      const record = this.#with(row, previews);
      if (record !== undefined) touched.set(record.first.seq, record);
    }
    return { upto, rows, records: [...touched.values()] };
  }

  /** Forgets what goes on. */
  clear(): void {
    this.#open.clear();
  }

  #with(row: LedgerRow, previews: PreviewSource): CallRecord | undefined {
    if (opensRecord(row)) {
      const record: CallRecord = { first: row, decision: null, last: null, object: null };
      if (row.type !== 'action_rejected' && row.type !== 'panicked') this.#keep(row.seq, record);
      return record;
    }
    if (endIn(row) !== undefined) return this.#answered(questionIdOf(row) ?? '');
    if (!GOES_ON.has(row.type) || row.ref === null) return undefined;
    const known = this.#open.get(row.ref);
    this.#open.delete(row.ref);
    if (row.type === 'tool_call_decision') {
      // The object is read once, with the decision that may have kept it.
      const first = known?.first ?? this.#entry(row.ref);
      if (first === undefined) return undefined;
      const record = { first, decision: row, last: null, object: objectOf(previews, first, row) };
      this.#keep(row.seq, record);
      return record;
    }
    return known === undefined ? recordAround(this.#reader, row) : { ...known, last: row };
  }

  /** The call that a question was about: it waits no more. */
  #answered(id: string): CallRecord | undefined {
    const first = callsOfQuestions(this.#reader, new Set([id])).get(id);
    return first === undefined ? undefined : recordOf(this.#reader, first);
  }

  #entry(seq: number): LedgerRow | undefined {
    return this.#reader.holds(seq) ? this.#reader.entry(seq) : undefined;
  }

  #keep(seq: number, record: CallRecord): void {
    this.#open.set(seq, record);
    for (const oldest of this.#open.keys()) {
      if (this.#open.size <= MAX_OPEN) break;
      this.#open.delete(oldest);
    }
  }
}
