import { isSublError, type JsonObject, objectAt } from '@subluminal/core-types';
import type { LedgerReader, LedgerRow } from '@subluminal/ledger';
import { runCounts, type RunCounts, type RunRecord, runRecords } from '@subluminal/records';
import { askOperator } from '../gateway/door.js';
import { countsText, waitingCounts } from '../inbox/counts.js';
import type { Call } from '../program/call.js';
import { Rates } from './rates.js';
import { Refusals } from './refusals.js';
import type { Standing } from './strip.js';

/** Among so many of the newest runs those that live are looked for. */
const NEWEST = 200;
const MINUTE_MS = 60_000;
const PAGE = 1000;
/** Calls of the last minute that are counted when it begins: ten pages, and then those that come. */
const MOST_PAGES = 10;

/** Keeps what the screen tells, as entries come. */
export class Gathered {
  readonly #call: Call;
  readonly #reader: LedgerReader;
  readonly #rates = new Rates();
  readonly #counts: RunCounts;
  readonly refusals: Refusals;
  #runs: readonly RunRecord[] = [];

  constructor(call: Call, reader: LedgerReader) {
    this.#call = call;
    this.#reader = reader;
    this.#counts = runCounts(reader);
    this.refusals = new Refusals(reader);
    this.#countLastMinute();
    this.lookAtRuns();
  }

  /** Takes an entry in. */
  push(row: LedgerRow): void {
    if (row.type === 'tool_call_start' && row.runId !== null) this.#rates.add(row.runId, row.ts);
    this.refusals.push(this.#reader, row);
  }

  /** Reads the live runs anew, with their counts. */
  lookAtRuns(): void {
    const { rows } = this.#reader.runs({ limit: NEWEST });
    this.#runs = runRecords(
      this.#reader,
      rows.filter(({ end }) => end === null),
      this.#counts,
    );
  }

  /** The live runs, with the calls of the last minute. */
  runs(now: number): readonly { readonly run: RunRecord; readonly perMinute: number }[] {
    return this.#runs.map((run) => ({ run, perMinute: this.#rates.perMinute(run.runId, now) }));
  }

  /** Asks the gateway for what it alone knows. Never rejects for an error of ours. */
  async standing(): Promise<Standing> {
    const entries = this.#reader.size;
    const status = await this.#status();
    const counts = status === undefined ? undefined : await waitingCounts(this.#call);
    if (counts === undefined || counts.size === 0) return { status, entries, waiting: '' };
    const how = counts.has('question') ? '`sub watch`' : '`sub approvals list`';
    return { status, entries, waiting: `${countsText(counts)}: ${how}` };
  }

  async #status(): Promise<JsonObject | undefined> {
    const { home, session } = this.#call;
    try {
      return objectAt(await askOperator(home, session.now, 'gateway.status'));
    } catch (error) {
      if (isSublError(error)) return undefined;
      throw error;
    }
  }

  #countLastMinute(): void {
    const now = this.#call.session.now();
    let cursor: number | null = null;
    for (let page = 0; page < MOST_PAGES; page += 1) {
      const found = this.#reader.byTimeRange(now - MINUTE_MS, now, { limit: PAGE, cursor, order: 'asc' });
      for (const row of found.rows)
        if (row.type === 'tool_call_start' && row.runId !== null) this.#rates.add(row.runId, row.ts);
      cursor = found.next;
      if (cursor === null) return;
    }
  }
}
