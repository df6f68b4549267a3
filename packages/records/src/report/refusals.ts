import { textAt } from '@subluminal/core-types';
import { factsOf, type CallRecord } from '../record.js';
import type { Reported, ReportedRefusal } from './report.js';
import { Tally } from './tally.js';

/** All that was kept from happening, or would have been, by rule or reason and by name. */
export class Refusals {
  readonly #rows = new Tally<ReportedRefusal>();

  /** One more of that name. Records come newest first. */
  add(record: CallRecord, name: string, isObserved: boolean): void {
    const { ruleId, reasonCode, reason } = factsOf(record);
    const { first, object } = record;
    const undecided = record.decision === null ? 'undecided' : '';
    const source = ruleId || reasonCode || textAt(first.data, 'error', 'code') || undecided;
    const row = this.#rows.at(JSON.stringify([source, name, isObserved]), () => ({
      source,
      name,
      object,
      why: reason,
      seq: first.seq,
      isObserved,
      times: 0,
    }));
    if (row !== undefined) row.times += 1;
  }

  told(): Reported<ReportedRefusal> {
    return this.#rows.by(({ times }) => times);
  }
}
