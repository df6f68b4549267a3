import { isSublError } from '@subluminal/core-types';
import type { LedgerReader } from '@subluminal/ledger';
import { errorText, type Logger } from '../base/logger.js';
import type { LimitStore } from '../limits/limit-store.js';
import { foldLimits, type Folded } from './limit-fold.js';

/** What limits are restored from. */
export interface LimitRestorerParts {
  readonly reader: LedgerReader;
  readonly store: LimitStore;
  readonly log: Logger;
}

/** Gives runs that go on the limits that they had: what was kept, and what the ledger says since. */
export class LimitRestorer {
  readonly #parts: LimitRestorerParts;
  /** The entry up to which what was kept goes; 0 where that is not one of this ledger. */
  readonly #after: number;

  constructor(parts: LimitRestorerParts) {
    this.#parts = parts;
    const { reader, store } = parts;
    const mark = store.mark();
    const isOurs =
      mark !== undefined && reader.holds(mark.upTo) && reader.entry(mark.upTo)?.leaf === mark.leaf;
    if (mark !== undefined && !isOurs) store.clear();
    this.#after = isOurs ? mark.upTo : 0;
  }

  /** Undefined where they cannot be counted: a limit that forgot what it had counted is none. */
  of(runId: string): Folded | undefined {
    const { reader, store, log } = this.#parts;
    try {
      const kept = this.#after === 0 ? undefined : store.read(runId);
      return kept === 'unreadable'
        ? foldLimits(reader, { runId, kept: undefined, after: 0 })
        : foldLimits(reader, { runId, kept, after: this.#after });
    } catch (error) {
      if (!isSublError(error, 'not_found', 'policy_invalid')) throw error;
      log.error('what a run has used up cannot be counted', { run: runId, error: errorText(error) });
      return undefined;
    }
  }
}
