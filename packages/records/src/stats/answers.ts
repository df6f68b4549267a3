import { textAt } from '@subluminal/core-types';
import type { LedgerReader, LedgerRow } from '@subluminal/ledger';
import { newestRows } from '../waiting/newest-rows.js';

/** Entries of a type that are looked at, from the newest. */
export const MAX_ROWS = 200_000;

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
  for (const row of newestRows(reader, 'approval_granted', MAX_ROWS, sinceMs)) {
    const id = textAt(row.data, 'question', 'id');
    if (id === '') continue;
    approved.add(id);
    of(row).yes += 1;
  }
  for (const row of newestRows(reader, 'approval_denied', MAX_ROWS, sinceMs)) {
    // Nobody answered one that was closed.
    if (textAt(row.data, 'question', 'id') !== '' && textAt(row.data, 'question', 'closed') === '')
      of(row).no += 1;
  }
  for (const row of newestRows(reader, 'approval_requested', MAX_ROWS, sinceMs)) {
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
