import { textAt } from '@subluminal/core-types';
import type { LedgerReader, LedgerRow } from '@subluminal/ledger';
import { callOf } from '../hints.js';
import { endIn, endsOf, endWithRun, questionIdOf, type QuestionEnd } from '../questions/ends.js';
import { toolOf } from '../record.js';
import type { Reported, ReportedQuestion } from './report.js';

/** Questions that are told of. */
const MAX_QUESTIONS = 500;

/** The questions of a report, with how they ended. Entries come newest first. */
export class Questions {
  readonly #asked: LedgerRow[] = [];
  readonly #ends = new Map<string, QuestionEnd>();
  #left = 0;

  take(row: LedgerRow): void {
    const id = questionIdOf(row);
    if (id === undefined) return;
    const end = endIn(row);
    if (end !== undefined) {
      if (this.#ends.size < MAX_QUESTIONS) this.#ends.set(id, end);
    } else if (this.#asked.length < MAX_QUESTIONS) this.#asked.push(row);
    else this.#left += 1;
  }

  told(reader: LedgerReader): Reported<ReportedQuestion> {
    const ids = this.#asked.flatMap((row) => questionIdOf(row) ?? []);
    const open = new Set(ids.filter((id) => !this.#ends.has(id)));
    const later = endsOf(reader, open, this.#asked.at(-1)?.ts ?? 0);
    const rows = this.#asked.map((row) => {
      const id = questionIdOf(row) ?? '';
      const call = callOf(reader, row);
      const tool = (call === null ? null : toolOf(call)) ?? row.tool ?? '';
      return {
        seq: call?.first.seq,
        ts: row.ts,
        ruleId: textAt(row.data, 'question', 'rule_id'),
        name: typeof tool === 'string' ? tool : tool.join('.'),
        object: call?.object ?? null,
        end: this.#ends.get(id) ?? later.get(id) ?? endWithRun(reader, row.runId),
      };
    });
    return { rows, left: this.#left };
  }
}
