import { textAt, type JsonObject } from '@subluminal/core-types';
import type { LedgerReader } from '@subluminal/ledger';
import { BUILTIN_OBSERVE } from '@subluminal/policy';
import { policyByHash } from '../deciding/policies.js';
import { callOf } from '../hints.js';
import { questionIn } from '../runs/refusal-counts.js';
import { newestRows } from '../waiting/newest-rows.js';
import { answersByRule, isTooWide, MAX_ROWS, type RuleAnswers } from './answers.js';

const HOUR_MS = 3_600_000;

/** One rule, as far as it decided or asked. */
export interface RuleStats extends Omit<RuleAnswers, 'lastYes'> {
  readonly ruleId: string;
  /** Calls that it decided. */
  readonly decided: number;
  readonly isTooWide: boolean;
  /** The number of the newest call that it asked about and that was answered yes. */
  readonly example: number | undefined;
}

/** The decisions and questions of some time. */
export interface Stats {
  readonly sinceMs: number;
  /** Calls by their decision; those that a person was asked about are `ASKED`. */
  readonly calls: ReadonlyMap<string, number>;
  /** Hours of the clock in which calls were decided. */
  readonly hours: number;
  readonly questions: number;
  readonly yes: number;
  readonly no: number;
  /** Those that decided or asked, the busiest first. */
  readonly rules: readonly RuleStats[];
  /** There are more decisions than are counted; the newest are. */
  readonly isCut: boolean;
  /** Rules of the policy in force that decided nothing; undefined where the policy cannot be had. */
  readonly silent: readonly string[] | undefined;
}

/** Counts calls and questions since then, out of the record alone: the newest `most` entries of a kind. */
export function statsSince(reader: LedgerReader, sinceMs: number, most = MAX_ROWS): Stats {
  const calls = new Map<string, number>();
  const decided = new Map<string, number>();
  const hours = new Set<number>();
  for (const { code, data, ts } of newestRows(reader, 'tool_call_decision', most, sinceMs)) {
    const decision = questionIn(data) === undefined ? (code ?? '') : 'ASKED';
    calls.set(decision, (calls.get(decision) ?? 0) + 1);
    hours.add(Math.floor(ts / HOUR_MS));
    const ruleId = textAt(data, 'decision', 'rule_id');
    if (ruleId !== '') decided.set(ruleId, (decided.get(ruleId) ?? 0) + 1);
  }
  const answers = answersByRule(reader, sinceMs);
  const names = new Set([...decided.keys(), ...answers.keys()]);
  const rules = [...names].map((ruleId) => ruleStats(reader, ruleId, decided.get(ruleId) ?? 0, answers));
  const sum = (of: (rule: RuleStats) => number): number => rules.reduce((all, rule) => all + of(rule), 0);
  return {
    sinceMs,
    isCut: [...calls.values()].reduce((all, count) => all + count, 0) >= most,
    calls,
    hours: hours.size,
    questions: sum(({ questions }) => questions),
    yes: sum(({ yes }) => yes),
    no: sum(({ no }) => no),
    rules: rules.toSorted((a, b) => b.decided - a.decided || (a.ruleId < b.ruleId ? -1 : 1)),
    silent: rulesInForce(reader)?.filter((ruleId) => !names.has(ruleId)),
  };
}

/** The counts for programs; the names are documented in docs/cli.md. */
export function statsJson({ sinceMs, calls, hours, questions, yes, no, rules, silent }: Stats): JsonObject {
  return {
    since: new Date(sinceMs).toISOString(),
    calls: Object.fromEntries(calls),
    hours,
    questions,
    yes,
    no,
    rules: rules.map((rule) => ({
      rule_id: rule.ruleId,
      decided: rule.decided,
      questions: rule.questions,
      yes: rule.yes,
      no: rule.no,
      too_wide: rule.isTooWide,
      example: rule.example ?? null,
    })),
    silent: silent === undefined ? null : [...silent],
  };
}

function ruleStats(
  reader: LedgerReader,
  ruleId: string,
  decided: number,
  answers: ReadonlyMap<string, RuleAnswers>,
): RuleStats {
  const { lastYes, ...counts } = answers.get(ruleId) ?? { questions: 0, yes: 0, no: 0, lastYes: undefined };
  const example = lastYes === undefined ? undefined : callOf(reader, lastYes)?.first.seq;
  return { ruleId, decided, ...counts, isTooWide: isTooWide(counts), example };
}

/** Rules that could decide, of the policy that was loaded last. A tag decides nothing by itself. */
function rulesInForce(reader: LedgerReader): readonly string[] | undefined {
  const loaded = reader.byType('policy_loaded', { limit: PAGE }).rows.find(({ runId }) => runId === null);
  const hash = textAt(loaded?.data ?? null, 'policy', 'policy_hash') || BUILTIN_OBSERVE.policy_hash;
  const found = policyByHash(reader, hash);
  if (!found.found) return undefined;
  return found.snapshot.rules.flatMap(({ rule_id, kind, enabled }) =>
    enabled && kind !== 'tag' ? [rule_id] : [],
  );
}

/** Runs load policies, too. */
const PAGE = 1000;
