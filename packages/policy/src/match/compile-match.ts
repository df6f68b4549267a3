import type { Names, PatternPool } from '../pattern/pool.js';
import type { PlainMatch } from '../snapshot/plain.js';
import { argConditions } from './args.js';
import { commandCondition } from './command.js';
import { hostCondition, sqlCondition, textConditions } from './objects.js';
import { pathCondition, type WithoutProject } from './path.js';
import type { Prepared } from './prepared.js';
import type { Quantity } from './quantity.js';
import type { Condition, Facts, Match } from './condition.js';

/** A match in two parts: what a tool's names decide, and what each call does. */
export interface CompiledMatch {
  readonly server: Names | undefined;
  readonly tool: Names | undefined;
  readonly conditions: readonly Condition[];
}

/** Compiles a match. No condition at all matches every call. `policy_invalid` on a bad pattern. */
export function compileMatch(
  match: PlainMatch,
  pool: PatternPool,
  prepared: Prepared,
  quantity: Quantity,
  withoutProject: WithoutProject,
): CompiledMatch {
  const conditions: Condition[] = [];
  const classes = match.risk_class;
  if (classes !== undefined)
    conditions.push({ field: 'risk_class', test: (facts) => matchClasses(classes, facts) });
  const hours = match.time?.utc_hours;
  if (hours !== undefined) {
    const test = ({ now }: Facts): Match => (hours.includes(utcHour(now)) ? 'yes' : 'no');
    conditions.push({ field: 'time.utc_hours', test });
  }
  const { args, path, command, host, sql } = match;
  if (args !== undefined) conditions.push(...argConditions(args));
  if (args?.text !== undefined) conditions.push(...textConditions(args.text, pool));
  if (path !== undefined) conditions.push(pathCondition(path, quantity, prepared, withoutProject));
  if (command !== undefined)
    conditions.push(commandCondition(command, quantity, pool, prepared, withoutProject));
  if (host !== undefined) conditions.push(hostCondition(host, quantity, pool));
  if (sql !== undefined) conditions.push(sqlCondition(sql, quantity, pool));
  return {
    server: match.server_name === undefined ? undefined : pool.names(match.server_name),
    tool: match.tool_name === undefined ? undefined : pool.names(match.tool_name),
    conditions,
  };
}

function utcHour(now: number): number {
  const hour = Math.floor(now / 3_600_000) % 24;
  return hour < 0 ? hour + 24 : hour;
}

function matchClasses(classes: readonly string[], { tags, possibleTags }: Facts): Match {
  if (classes.some((name) => tags.includes(name))) return 'yes';
  return classes.some((name) => possibleTags.includes(name)) ? 'unknown' : 'no';
}
