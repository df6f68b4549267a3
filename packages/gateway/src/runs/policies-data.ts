import { redact, type JsonObject, type JsonValue } from '@subluminal/core-types';
import { strictness, type DecideResult, type Narrowed } from '@subluminal/policy';
import type { RunNarrowing } from '../projects/port.js';

/**
 * The answers of the policies that were asked: which one is enforced (`by`), that of the home, that of the
 * run's own policy, and the strictest of those of its projects.
 */
export function policiesData(all: Narrowed, narrowing: readonly RunNarrowing[]): JsonObject {
  const [home, ...others] = all.answers;
  const data: Record<string, JsonValue> = {
    by: narrowing[all.by - 1]?.kind ?? 'home',
    home: answerData(home),
  };
  const places = others.map((_, at) => at);
  const run = places.find((at) => narrowing[at]?.kind === 'run');
  if (run !== undefined && others[run] !== undefined) data['run'] = answerData(others[run]);
  const ofProjects = places.filter((at) => narrowing[at]?.kind === 'project');
  const strictest = ofProjects.includes(all.by - 1)
    ? all.by - 1
    : ofProjects.toSorted((one, other) => strictness(others[other]) - strictness(others[one]))[0];
  const answer = strictest === undefined ? undefined : others[strictest];
  const file = narrowing[strictest ?? -1]?.file;
  if (answer !== undefined && file !== undefined)
    data['project'] = { file: redact(file).text, ...answerData(answer) };
  return data;
}

function answerData({ decision, effective }: DecideResult): JsonObject {
  const { action, reason_code, rule_id } = effective;
  const answer = { action, reason_code, rule_id };
  return decision.action === action ? answer : { ...answer, shadow: decision.action };
}
