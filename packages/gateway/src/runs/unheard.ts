import { isSublError } from '@subluminal/core-types';
import type { EntryInput, Ledger, LedgerReader, LedgerRow } from '@subluminal/ledger';
import { unreportedEndEntry } from './unreported-end.js';
import type { Clock } from '../base/clock.js';
import { errorText, type Logger } from '../base/logger.js';
import { interruptedEntry } from './interrupted-entry.js';
import type { Recorder } from '../recording/recorder.js';
import type { Projects } from '../projects/port.js';
import type { RunRegistry } from './registry.js';
import { openCallOf, pendingOf, runOf } from './rows.js';

/** What is read and closed with. */
export interface UnheardParts {
  readonly ledger: Pick<Ledger, 'onCommit' | 'danglingPendings'>;
  readonly openReader: () => LedgerReader;
  readonly recorder: Recorder;
  readonly registry: RunRegistry;
  readonly projects: Pick<Projects, 'restore'>;
  readonly clock: Clock;
  readonly log: Logger;
}

/** The message on a call whose answer was a refusal. */
const NOT_MADE = 'the ledger reported that it could not record the call, so it was refused';

/**
 * Entries that stand although their commit was reported as failed: whoever asked was told
 * `audit_unavailable`. A start would find them in the ledger; a gateway that goes on has to draw the same
 * conclusions. Pendings are closed as interrupted and never executed; ends are taken note of, so that a run
 * does not wait to write them again.
 */
export class UnheardEntries {
  readonly #parts: UnheardParts;
  /**
   * Pendings that are still to be closed: the ledger may have failed again. It holds no more of them open
   * than 16,384.
   */
  readonly #open = new Map<number, LedgerRow>();
  #closing = false;

  constructor(parts: UnheardParts) {
    this.#parts = parts;
  }

  /** Begins to listen. Returns the function that ends it. */
  start(): () => void {
    return this.#parts.ledger.onCommit(({ first, last, unheard }) => {
      try {
        if (unheard) this.#take(first, last);
      } catch (error) {
        this.#failed(error);
      }
      // Any commit tells that the ledger takes entries.
      if (this.#open.size > 0 && !this.#closing) void this.#close();
    });
  }

  #take(first: number, last: number): void {
    const { ledger, openReader, log } = this.#parts;
    log.warn('entries stand that were reported as failed', { first, last });
    for (const row of ledger.danglingPendings()) {
      if (row.seq >= first && row.seq <= last) this.#open.set(row.seq, row);
    }
    const reader = openReader();
    try {
      for (let seq = first; seq <= last; seq += 1) this.#note(reader.entry(seq));
    } finally {
      reader.close();
    }
  }

  #note(row: LedgerRow | undefined): void {
    const { projects, registry } = this.#parts;
    if (row === undefined || row.runId === null) return;
    if (row.type === 'run_start' && registry.live(row.runId) === undefined) {
      const began = runOf(row);
      projects.restore(began, row);
      registry.add(began);
    }
    const run = registry.live(row.runId);
    if (run === undefined || row.ref === null) return;
    if (row.type === 'action_result') run.openPendings.delete(row.ref);
    if (row.type !== 'tool_call_end') return;
    for (const [id, open] of run.openCalls) if (open.decisionSeq === row.ref) run.openCalls.delete(id);
  }

  async #close(): Promise<void> {
    this.#closing = true;
    try {
      for (const [seq, row] of this.#open) {
        await this.#end(row);
        this.#open.delete(seq);
      }
    } catch (error) {
      this.#failed(error);
    } finally {
      this.#closing = false;
    }
  }

  async #end(row: LedgerRow): Promise<void> {
    const { recorder, registry, clock } = this.#parts;
    const now = clock();
    const entry = endOf(row, now);
    try {
      // A conflict says that it has its end already.
      if (entry !== undefined) await recorder.append({ entries: [entry] });
      const run = row.type === 'action_pending' ? undefined : registry.live(row.runId ?? '');
      run?.limits.settle(openCallOf(row), { status: 'ERROR', latency_ms: Math.max(0, now - row.ts) }, now);
    } catch (error) {
      if (!isSublError(error, 'run_ended')) throw error;
    }
  }

  #failed(error: unknown): void {
    this.#parts.log.warn('entries that nobody was told of stay open', { error: errorText(error) });
  }
}

function endOf(row: LedgerRow, ts: number): EntryInput | undefined {
  if (row.type === 'action_pending') return interruptedEntry({ ...pendingOf(row), ts });
  return row.runId === null ? undefined : unreportedEndEntry(row.runId, openCallOf(row), ts, NOT_MADE);
}
