import { canonicalize, sha256Hex } from '@subluminal/core-types';
import type { PolicySnapshot, Raise } from '@subluminal/policy';
import type { Questions } from './port.js';

/** The hash of a rule or a budget that asks; undefined where the policy has none of that name. */
export function askHash({ rules, places, plain }: PolicySnapshot, ruleId: string): string | undefined {
  const at = places.get(ruleId) ?? -1;
  const rule = rules[at];
  const asks = rule?.kind === 'ask' || (rule?.kind === 'budget' && rule.action === 'ASK');
  return asks ? sha256Hex(canonicalize(plain.rules[at])) : undefined;
}

/** Whether a yes for the run is one to a budget: it adds to its limits, and lifts nothing. */
export function asksByLimit({ rules, places }: PolicySnapshot, ruleId: string): boolean {
  return rules[places.get(ruleId) ?? -1]?.kind === 'budget';
}

/** The yeses to budgets of a run that are still as they were when they asked. */
export function raisesOf(
  questions: Pick<Questions, 'raises'>,
  snapshot: PolicySnapshot,
  runId: string,
): readonly Raise[] {
  return questions
    .raises(runId)
    .filter(({ ruleId, ruleHash }) => askHash(snapshot, ruleId) === ruleHash)
    .map(({ ruleId, server, tool }) => ({ rule_id: ruleId, server_name: server, tool_name: tool }));
}
