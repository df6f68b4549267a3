import type { LedgerReader, LedgerRow } from '@subluminal/ledger';
import { recordAround, type CallRecord } from './record.js';

/** A call that is still open after this long is told of before its end. */
const SLOW_MS = 2000;
/** Open calls that are kept in mind; beyond, the oldest is told of only when it ends. */
const MAX_OPEN = 4096;

const OPENS: ReadonlySet<string> = new Set(['tool_call_start', 'action_pending']);
const COMPLETES: ReadonlySet<string> = new Set([
  'tool_call_end',
  'action_result',
  'action_rejected',
  'panicked',
]);

/** Whether an entry is one of a call or an action. */
export function isOfRecord({ type }: LedgerRow): boolean {
  return OPENS.has(type) || COMPLETES.has(type) || type === 'tool_call_decision';
}

/**
 * Merges entries into calls and actions as they come. A refused one is told at once, an allowed one when it
 * ends or takes long.
 */
export class LiveRecords {
  readonly #reader: LedgerReader;
  readonly #now: () => number;
  readonly #open = new Map<number, LedgerRow>();

  constructor(reader: LedgerReader, now: () => number) {
    this.#reader = reader;
    this.#now = now;
  }

  /** The record that an entry completes. */
  push(row: LedgerRow): readonly CallRecord[] {
    if (OPENS.has(row.type)) this.#remember(row);
    return COMPLETES.has(row.type) ? this.#complete(row) : [];
  }

  /** Those that have been open for long and were not told of yet. */
  slow(): readonly CallRecord[] {
    const due = [...this.#open.values()].filter((row) => this.#now() - row.ts >= SLOW_MS);
    // One that has ended by now is told of with its last entry, which is still to come.
    return due.flatMap((row) => {
      const record = recordAround(this.#reader, row);
      if (record?.last !== null) return [];
      this.#open.delete(record.first.seq);
      return [record];
    });
  }

  #complete(row: LedgerRow): readonly CallRecord[] {
    const record = recordAround(this.#reader, row);
    if (record === undefined) return [];
    this.#open.delete(record.first.seq);
    return [record];
  }

  #remember(row: LedgerRow): void {
    this.#open.set(row.seq, row);
    if (this.#open.size <= MAX_OPEN) return;
    for (const oldest of this.#open.keys()) {
      this.#open.delete(oldest);
      return;
    }
  }
}
