import { textAt } from '@subluminal/core-types';
import type { EntryType, LedgerReader, LedgerRow, Page } from '@subluminal/ledger';

/** Entries of a type that are looked at, from the newest. */
const MAX_ROWS = 200_000;
const PAGE = 1000;

/** The share of yes above which a rule asks too much, and the answers that this takes. */
const TOO_WIDE = 0.95;
const MIN_ANSWERS = 10;

/** The questions of one rule, and their answers by people. */
export interface RuleAnswers {
  readonly questions: number;
  readonly yes: number;
  readonly no: number;
  /** The `approval_requested` entry of the newest question that was answered yes. */
  readonly lastYes: LedgerRow | undefined;
}

/** The questions since then, and their answers, by rule. */
export function answersByRule(reader: LedgerReader, sinceMs: number): ReadonlyMap<string, RuleAnswers> {
  const rules = new Map<string, { questions: number; yes: number; no: number; lastYes?: LedgerRow }>();
  const of = (row: LedgerRow): { questions: number; yes: number; no: number; lastYes?: LedgerRow } => {
    const ruleId = textAt(row.data, 'question', 'rule_id');
    const known = rules.get(ruleId) ?? { questions: 0, yes: 0, no: 0 };
    rules.set(ruleId, known);
    return known;
  };
  const approved = new Set<string>();
  for (const row of rowsSince(reader, 'approval_granted', sinceMs)) {
    const id = textAt(row.data, 'question', 'id');
    if (id === '') continue;
    approved.add(id);
    of(row).yes += 1;
  }
  for (const row of rowsSince(reader, 'approval_denied', sinceMs)) {
    // Nobody answered one that was closed.
    if (textAt(row.data, 'question', 'id') !== '' && textAt(row.data, 'question', 'closed') === '')
      of(row).no += 1;
  }
  for (const row of rowsSince(reader, 'approval_requested', sinceMs)) {
    const rule = of(row);
    rule.questions += 1;
    if (approved.has(textAt(row.data, 'question', 'id'))) rule.lastYes ??= row;
  }
  return new Map([...rules].map(([ruleId, one]) => [ruleId, { ...one, lastYes: one.lastYes }]));
}

/** Whether people say yes to a rule nearly always, so that it asks about more than it needs to. */
export function isTooWide({ yes, no }: Pick<RuleAnswers, 'no' | 'yes'>): boolean {
  return yes + no >= MIN_ANSWERS && yes / (yes + no) > TOO_WIDE;
}

/** Entries of one type since then, newest first. */
export function* rowsSince(
  reader: Pick<LedgerReader, 'byType'>,
  type: EntryType,
  sinceMs: number,
): Generator<LedgerRow> {
  let cursor: number | null = null;
  for (let left = MAX_ROWS; left > 0; left -= PAGE) {
    const page: Page<LedgerRow> = reader.byType(type, { limit: PAGE, cursor });
    for (const row of page.rows) if (row.ts >= sinceMs) yield row;
    cursor = page.next;
    if (cursor === null || page.rows.every(({ ts }) => ts < sinceMs)) return;
  }
}
