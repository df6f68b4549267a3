import type { CompiledBudget } from '../snapshot/rule.js';

/** A person's yes to a budget for a run: its limits once more, for all that it counts with this call. */
export interface Raise {
  readonly rule_id: string;
  readonly server_name: string;
  readonly tool_name: string;
}

/** How often the limits of a budget hold for a call: once, and once more for each yes. */
export function timesOf(
  { action, rule_id, scope }: CompiledBudget,
  { server_name, tool_name }: Omit<Raise, 'rule_id'>,
  raises: readonly Raise[] | undefined,
): number {
  if (action !== 'ASK' || raises === undefined) return 1;
  const own = raises.filter(
    (one) =>
      one.rule_id === rule_id &&
      (scope === 'run' || one.tool_name === tool_name) &&
      (scope !== 'server_tool' || one.server_name === server_name),
  );
  return 1 + own.length;
}

/** A limit that holds so often. One of 2⁵³ or more holds everything as it is. */
export function raised(limit: number, times: number): number {
  return limit === Infinity ? limit : Math.min(limit * times, Number.MAX_SAFE_INTEGER);
}
