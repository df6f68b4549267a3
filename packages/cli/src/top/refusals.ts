import type { LedgerReader, LedgerRow } from '@subluminal/ledger';
import { type CallRecord, isOfDoctor, recordAround, refuses, search } from '@subluminal/records';

/** The newest that are kept. */
const MOST = 50;
const DECISIONS = new Set(['BLOCK', 'REJECT_WITH_HINT', 'TERMINATE_RUN', 'ASKED', 'THROTTLE'] as const);

/** Newest refusals and questions of a record, newest first, without those that `sub doctor` asked for. */
export class Refusals {
  #all: readonly CallRecord[];

  /** Reads them by the ledger's indexes, so that a long record without any takes no longer. */
  constructor(reader: LedgerReader) {
    const decided = search(reader, { decisions: DECISIONS }, MOST, null).records;
    const rejected = reader
      .byType('action_rejected', { limit: MOST })
      .rows.flatMap((row) => recordAround(reader, row) ?? []);
    this.#all = newest([...decided, ...rejected]);
  }

  get all(): readonly CallRecord[] {
    return this.#all;
  }

  /** Takes an entry in, if it refuses something. */
  push(reader: LedgerReader, row: LedgerRow): void {
    const record = refuses(row) ? recordAround(reader, row) : undefined;
    if (record !== undefined) this.#all = newest([record, ...this.#all]);
  }
}

function newest(records: readonly CallRecord[]): readonly CallRecord[] {
  const bySeq = new Map(records.map((record) => [record.first.seq, record]));
  return [...bySeq.values()]
    .filter(({ first }) => !isOfDoctor(first))
    .toSorted((a, b) => b.first.seq - a.first.seq)
    .slice(0, MOST);
}
